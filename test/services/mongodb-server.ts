import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient, type Document } from 'mongodb';
import { findProgram } from './installed.js';
import { freePort } from './redis-server.js';

const START_LIMIT_MS = 20_000;

interface Stored extends Document {
  readonly _id: string;
}

export interface MongodbServer {
  readonly port: number;
  readonly pid: number;
  /** Documents of a collection, asked on a client of its own. */
  all(collection?: string, database?: string): Promise<readonly Stored[]>;
  insert(documents: readonly Stored[], collection?: string): Promise<unknown>;
  clear(): Promise<unknown>;
  /** Commands by name since the start, as the server counts them. */
  commands(): Promise<Record<string, number>>;
  /** Ends at once, and starts again on its port with its files. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a FerretDB on a free loopback port; it ends with `close`, or with this process. `settings`: more words. */
export async function startMongodb(settings: readonly string[] = []): Promise<MongodbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pacecar-ferretdb-'));
  const port = await freePort();
  let child = start(folder, port, settings);
  let client = await answering(child, port);
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const kill = async (): Promise<void> => {
    await client.close();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    port,
    get pid() {
      return child.pid as number;
    },
    all: (collection = 'usertable', database = 'test') =>
      client.db(database).collection<Stored>(collection).find().toArray(),
    insert: (documents, collection = 'usertable') =>
      client.db('test').collection<Stored>(collection).insertMany(documents),
    clear: () => client.db('test').dropDatabase(),
    commands: async () => {
      const { metrics } = await client.db('admin').command({ serverStatus: 1 });
      const { commands } = metrics as { commands: Record<string, { total: number }> };
      return Object.fromEntries(Object.entries(commands).map(([name, { total }]) => [name, total]));
    },
    kill,
    restart: async () => {
      await kill();
      child = start(folder, port, settings);
      client = await answering(child, port);
    },
    close: async () => {
      process.removeListener('exit', killWithUs);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function start(folder: string, port: number, settings: readonly string[]): ChildProcess {
  const program = findProgram('ferretdb');
  if (program === null) throw new Error('ferretdb is not installed; guard the suite with needs("ferretdb")');
  const words = [
    ...[
      '--handler=sqlite',
      '--sqlite-url=file:./?_pragma=synchronous(off)',
      `--listen-addr=127.0.0.1:${port}`,
    ],
    ...['--state-dir=.', '--debug-addr=-', '--log-level=error', '--telemetry=disable', ...settings],
  ];
  return spawn(program, words, { cwd: folder, stdio: 'ignore' });
}

async function answering(child: ChildProcess, port: number): Promise<MongoClient> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`ferretdb ended with code ${child.exitCode}`);
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
      serverSelectionTimeoutMS: 500,
      maxPoolSize: 1,
    });
    try {
      await client.db('admin').command({ ping: 1 });
      return client;
    } catch (error) {
      await client.close();
      if (performance.now() > deadline) {
        child.kill('SIGKILL');
        throw error;
      }
      await wait(50);
    }
  }
}
