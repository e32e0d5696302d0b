import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BUNDLE_FILES, encodeFrame, readFrameLog } from '@pacecar/protocol';
import { type RecordedFrame, type RecordListener, RecordPort } from './record-port.js';

const made: string[] = [];
after(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pacecar-port-'));
  made.push(directory);
  for (const folder of ['frames', 'facts']) await mkdir(join(directory, folder));
  return directory;
}

class Heard implements RecordListener {
  readonly recorded: RecordedFrame[] = [];
  readonly failures: string[] = [];
  frameRecorded(frame: RecordedFrame): void {
    this.recorded.push(frame);
  }
  frameRefused(_connection: number, reason: string): void {
    throw new Error(reason);
  }
  figures(): void {}
  recordFailed(reason: string): void {
    this.failures.push(reason);
  }
}

function frame(worker: number, sequence: number) {
  const identity = { worker, cell: 0, stage: 0, sequence };
  const bytes = encodeFrame({
    epoch: 1,
    ...identity,
    interval: 0,
    startNs: 0,
    endNs: 1,
    firstOperationNs: null,
    rows: [],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  });
  return { connection: 1, ...identity, keep: true, bytes };
}

test('every frame is reported in order and stands in the log once the port is closed', async () => {
  const directory = await newDirectory();
  const heard = new Heard();
  const port = new RecordPort({ directory, intervalMs: 1_000, cellConfigurations: [] }, heard);
  for (let sequence = 0; sequence < 500; sequence++)
    for (const worker of [0, 1]) port.frame(frame(worker, sequence));
  assert.equal(await port.close(10_000), null);
  for (const worker of [0, 1]) {
    const sequences = heard.recorded
      .filter((entry) => entry.worker === worker)
      .map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      Array.from({ length: 500 }, (_, i) => i),
    );
    let frames = 0;
    readFrameLog(await readFile(join(directory, BUNDLE_FILES.frames(worker))), () => frames++);
    assert.equal(frames, 500);
  }
  assert.deepEqual(heard.failures, []);
});

test('a record that cannot write says so once, acknowledges nothing, and closes with the reason', async () => {
  const directory = await newDirectory();
  await rm(join(directory, 'frames'), { recursive: true });
  const heard = new Heard();
  const port = new RecordPort({ directory, intervalMs: 1_000, cellConfigurations: [] }, heard);
  port.frame(frame(0, 0));
  port.frame(frame(0, 1));
  const reason = await port.close(10_000);
  assert.match(reason ?? '', /no such file.*worker-0\.pcf/);
  assert.deepEqual(heard.recorded, []);
  assert.equal(heard.failures.length, 1);
});

test('a queue past its bound is a failure, not a growing memory', async () => {
  const directory = await newDirectory();
  const heard = new Heard();
  const first = frame(0, 0);
  const options = { directory, intervalMs: 1_000, cellConfigurations: [] };
  const port = new RecordPort(options, heard, first.bytes.length * 3);
  for (let sequence = 0; sequence < 4; sequence++) port.frame(frame(0, sequence));
  assert.match(heard.failures[0] ?? '', /wait for the disk/);
  assert.match((await port.close(10_000)) ?? '', /wait for the disk/);
});
