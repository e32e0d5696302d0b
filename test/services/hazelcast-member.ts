import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceKeeper } from '@pacecar/worker';
import hazelcast, { type Client, type IMap } from 'hazelcast-client';
import { findProgram } from './installed.js';
import { freePort } from './redis-server.js';
import { serviceOrder } from './start-service.js';

const START_LIMIT_MS = 60_000;
const VERSION = '5.5.0';

/** What a member has counted for one map. */
export type MapCounts = Readonly<Record<'get' | 'put' | 'set' | 'remove' | 'hits', number>>;

export interface HazelcastMember {
  readonly port: number;
  /** A client of the test's own. */
  readonly client: Client;
  map(name?: string): Promise<IMap<unknown, unknown>>;
  /** From the member's log of its own metrics, as of now: up to a second goes by. */
  counts(map?: string): Promise<MapCounts>;
  close(): Promise<void>;
}

/**
 * One member on a free loopback port that logs its metrics each second: no client can ask for them. It ends with `close`,
 * or with this process.
 */
export async function startMember(): Promise<HazelcastMember> {
  const classpath = await libraryPath();
  const java = findProgram('java') ?? 'java';
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-member-'));
  const port = await freePort();
  await writeFile(join(folder, 'hazelcast.yaml'), configuration(port));
  const properties = {
    'hazelcast.config': join(folder, 'hazelcast.yaml'),
    'hazelcast.diagnostics.enabled': 'true',
    'hazelcast.diagnostics.metrics.period.seconds': '1',
    'hazelcast.diagnostics.directory': folder,
    'java.io.tmpdir': folder,
  };
  const words = [
    ...['-Xms96m', '-Xmx96m'],
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    ...['-cp', classpath, 'com.hazelcast.core.server.HazelcastMemberStarter'],
  ];
  const child = spawn(java, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const stop = async () => {
    process.removeListener('exit', killWithUs);
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const deadline = performance.now() + START_LIMIT_MS;
    while (!output.includes('is STARTED')) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error('the member did not start');
      await wait(50);
    }
    const client = await hazelcast.Client.newHazelcastClient({
      network: { clusterMembers: [`127.0.0.1:${port}`] },
      properties: { 'hazelcast.logging.level': 'OFF' },
    });
    return {
      port,
      client,
      map: async (name = 'pacecar') => client.getMap(name),
      counts: async (name = 'pacecar') => countsOf(await metricsFrom(folder, Date.now()), name),
      close: async () => {
        await client.shutdown();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}\n${output}`, { cause: error });
  }
}

/** As the recipe has it: what the environment says, or what Maven fetches once. */
async function libraryPath(): Promise<string> {
  const given = process.env['PACECAR_HAZELCAST_CLASSPATH'];
  if (given !== undefined && given !== '') return given;
  const keeper = new ServiceKeeper();
  try {
    await keeper.prepare(serviceOrder('hazelcast', { parameters: { version: VERSION } }));
  } finally {
    await keeper.close();
  }
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'pacecar', 'hazelcast', VERSION, '*');
}

function configuration(port: number): string {
  const off = { enabled: false };
  return JSON.stringify({
    hazelcast: {
      'cluster-name': 'dev',
      network: {
        port: { port, 'auto-increment': false },
        interfaces: { enabled: true, interfaces: ['127.0.0.1'] },
        join: { 'auto-detection': off, multicast: off, 'tcp-ip': { enabled: true, 'member-list': [] } },
      },
      properties: {
        'hazelcast.phone.home.enabled': 'false',
        'hazelcast.logging.type': 'jdk',
        'hazelcast.socket.bind.any': 'false',
      },
    },
  });
}

/** The first whole round of metrics that the member took after this moment. */
async function metricsFrom(folder: string, sinceMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const names = (await readdir(folder)).filter((name) => name.startsWith('diagnostics-'));
    const texts = await Promise.all(names.map(async (name) => readFile(join(folder, name), 'utf8')));
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.includes(' Metric['));
    const times = [...new Set(lines.map(timeOf))].filter((time) => time > sinceMs).sort((a, b) => a - b);
    // Lines of a round have one time; the next round says that it is whole.
    const [whole, next] = times;
    if (whole !== undefined && next !== undefined) return lines.filter((line) => timeOf(line) === whole);
    if (performance.now() > deadline) throw new Error('the member logs no metrics');
    await wait(100);
  }
}

function timeOf(line: string): number {
  return Number(/^\S+ \S+ (\d+) /.exec(line)?.[1]);
}

function countsOf(lines: readonly string[], map: string): MapCounts {
  const count = (metric: string) => {
    const line = lines.find(
      (each) => each.includes(`[name=${map},`) && each.includes(`metric=map.${metric}]`),
    );
    return Number(/=(\d+)\]$/.exec(line?.trim() ?? '=0]')?.[1]);
  };
  return {
    ...{ get: count('getCount'), put: count('putCount'), set: count('setCount') },
    ...{ remove: count('removeCount'), hits: count('hits') },
  };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
