import assert from 'node:assert/strict';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BytesInvalid, encodeFrame, type Frame, frameRecord, Recorder } from '@pacecar/protocol';
import { indexFrameLog, readFrameAt } from './frame-log.js';
import { sealBundle } from './seal.js';

const made: string[] = [];
after(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});
async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pacecar-seal-'));
  made.push(directory);
  return directory;
}

function frame(sequence: number, bytes: number): Uint8Array {
  const recorder = new Recorder();
  recorder.record(1_000 + sequence, 1);
  const row: Frame['rows'][number] = {
    workload: 'w',
    operation: 'x'.repeat(10),
    sent: 1,
    ok: 1,
    hits: 0,
    misses: 0,
    timeouts: 0,
    aborted: 0,
    errors: {},
    late: 0,
    dropped: 0,
    bytesSent: 0,
    bytesReceived: 0,
    inFlight: 0,
    service: recorder.encode(),
    response: new Uint8Array(bytes),
    failed: new Recorder().encode(),
  };
  return encodeFrame({
    epoch: 1,
    worker: 0,
    cell: 0,
    stage: 0,
    sequence,
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
}

test('a log longer than the reading window is indexed whole; a cut tail ends it', async () => {
  const path = join(await newDirectory(), 'log');
  // 5 MB each: three fit into a window of 16 MB, so that records stand across its edge.
  const frames = Array.from({ length: 8 }, (_, sequence) => frame(sequence, 5_000_000));
  const records = frames.map(frameRecord);
  await writeFile(path, Buffer.concat([...records, (records[0] as Uint8Array).subarray(0, 1_000)]));
  const file = await open(path, 'r');
  try {
    const index = await indexFrameLog(file);
    assert.deepEqual(
      index.map(({ sequence }) => sequence),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
    for (const location of index) {
      const bytes = await readFrameAt(file, location);
      assert.ok(Buffer.from(frames[location.sequence] as Uint8Array).equals(bytes));
    }
  } finally {
    await file.close();
  }
});

test('a record that is no frame is said to be so', async () => {
  const path = join(await newDirectory(), 'log');
  await writeFile(path, frameRecord(Buffer.from('hello')));
  const file = await open(path, 'r');
  try {
    await assert.rejects(indexFrameLog(file), BytesInvalid);
  } finally {
    await file.close();
  }
});

test('what is no bundle is not sealed', async () => {
  await assert.rejects(sealBundle(await newDirectory()), {
    code: 'STORAGE',
    message: /cannot be sealed: there is no such file.*plan\.json/,
  });
});
