import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  BUNDLE_FILES,
  encodeFrame,
  type Event,
  EventSchema,
  HostsFileSchema,
  NO_COUNTERS,
  readFrameLog,
  Recorder,
  TargetsFileSchema,
} from '@pacecar/protocol';
import { BundleRecord, type FrameEntry } from './bundle-record.js';

const AT = { atMs: 1, wallTime: '2026-01-01T00:00:00Z' };
const made: string[] = [];
after(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

async function newRecord(): Promise<{ directory: string; record: BundleRecord }> {
  const directory = await mkdtemp(join(tmpdir(), 'pacecar-record-'));
  made.push(directory);
  for (const folder of ['frames', 'facts']) await mkdir(join(directory, folder));
  const record = new BundleRecord({ directory, intervalMs: 1_000, cellConfigurations: ['one', 'two'] });
  return { directory, record };
}

function entry(worker: number, sequence: number, keep = true, service = new Recorder().encode()): FrameEntry {
  const empty = new Recorder().encode();
  const row = {
    ...NO_COUNTERS,
    workload: 'main',
    operation: 'get',
    inFlight: 0,
    service,
    response: empty,
    failed: empty,
  };
  const identity = { worker, cell: 0, stage: 0, sequence };
  const bytes = encodeFrame({
    epoch: 1,
    ...identity,
    interval: sequence,
    startNs: 0,
    endNs: 1,
    firstOperationNs: null,
    rows: [row],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  });
  return { kind: 'frame', connection: 7, ...identity, keep, bytes };
}

async function framesOf(directory: string, worker: number): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  const end = readFrameLog(await readFile(join(directory, BUNDLE_FILES.frames(worker))), (frame) =>
    frames.push(frame),
  );
  assert.equal(end.damage, null);
  return frames;
}

test('a batch stands in the files of its workers when append returns; warm-ups are reported, not kept', async () => {
  const { directory, record } = await newRecord();
  const event: Event = { ...AT, type: 'interrupted', signal: 'SIGINT' };
  const batch = [entry(0, 0), entry(1, 0), entry(0, 1, false), entry(0, 2)];
  const result = await record.append([{ kind: 'event', event }, ...batch]);
  assert.deepEqual(result.recorded, batch);
  const expected = [batch[0], batch[3]].map((frame) => Buffer.from(frame?.bytes ?? []));
  assert.deepEqual(
    (await framesOf(directory, 0)).map((bytes) => Buffer.from(bytes)),
    expected,
  );
  assert.equal((await framesOf(directory, 1)).length, 1);
  const line = await readFile(join(directory, BUNDLE_FILES.events), 'utf8');
  assert.deepEqual(EventSchema.parse(JSON.parse(line)), event);
  await record.close();
});

test('a frame with a damaged histogram is refused and written nowhere; the rest of the batch is kept', async () => {
  const { directory, record } = await newRecord();
  const bad = entry(0, 1, true, Uint8Array.of(9, 9));
  const result = await record.append([entry(0, 0), bad, entry(0, 2)]);
  assert.deepEqual(
    result.recorded.map(({ sequence }) => sequence),
    [0, 2],
  );
  assert.equal(result.refused.length, 1);
  assert.equal(result.refused[0]?.entry, bad);
  assert.equal((await framesOf(directory, 0)).length, 2);
  await record.close();
});

test('facts are gathered from events: hosts by worker, targets by configuration and worker, once each', async () => {
  const { directory, record } = await newRecord();
  const facts = {
    hostname: 'h',
    platform: 'linux',
    architecture: 'x64',
    cpuModel: 'c',
    cpuCount: 1,
    memoryBytes: 1,
    nodeVersion: 'v20',
    pacecarVersion: '0.1.0',
    pid: 1,
    wallTime: AT.wallTime,
  };
  const target = { address: 'a', product: 'p', version: '1', mode: 'm', settings: {} };
  const armed = (cell: number, stage: number, worker: number): Event => ({
    ...AT,
    type: 'worker-armed',
    cell,
    stage,
    worker,
    connections: 1,
    target,
  });
  const joined: Event = {
    ...AT,
    type: 'worker-joined',
    worker: 0,
    name: 'a',
    group: 'g',
    facts,
    drivers: [],
    calibration: null,
  };
  const events = [joined, armed(0, 0, 0), armed(0, 1, 0), armed(1, 0, 0), armed(0, 0, 1)];
  await record.append(events.map((event) => ({ kind: 'event', event })));
  await record.close();
  const hosts = HostsFileSchema.parse(
    JSON.parse(await readFile(join(directory, BUNDLE_FILES.hosts), 'utf8')),
  );
  assert.deepEqual(hosts, [{ worker: 0, name: 'a', group: 'g', facts }]);
  const targets = TargetsFileSchema.parse(
    JSON.parse(await readFile(join(directory, BUNDLE_FILES.targets), 'utf8')),
  );
  assert.deepEqual(
    targets.map(({ configuration, worker }) => [configuration, worker]),
    [
      ['one', 0],
      ['two', 0],
      ['one', 1],
    ],
  );
});

test('a full disk throws', { skip: process.platform !== 'linux' && 'needs /dev/full of Linux' }, async () => {
  const { directory, record } = await newRecord();
  await symlink('/dev/full', join(directory, BUNDLE_FILES.frames(0)));
  await assert.rejects(record.append([entry(0, 0)]), /ENOSPC/);
});

test('a directory that is removed or moved away throws, though the system would let the writes pass', async () => {
  for (const vanish of [
    (directory: string) => rm(directory, { recursive: true }),
    (directory: string) => {
      made.push(`${directory}.moved`);
      return rename(directory, `${directory}.moved`);
    },
  ]) {
    const { directory, record } = await newRecord();
    await record.append([entry(0, 0)]);
    await vanish(directory);
    await assert.rejects(record.append([entry(0, 1)]), /removed or replaced/);
  }
});
