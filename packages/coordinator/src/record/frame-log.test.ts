import assert from 'node:assert/strict';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeFrameIdentity, encodeFrame, frameRecord } from '@pacecar/protocol';
import { indexFrameLog, readFrameAt } from './frame-log.js';

test('frames after one with a wrong checksum are found where they stand', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-frame-log-'));
  const path = join(folder, 'worker-0.pcf');
  const records = [0, 1, 2, 3].map((sequence) =>
    frameRecord(
      encodeFrame({
        epoch: 7,
        worker: 0,
        cell: 0,
        stage: 0,
        sequence,
        interval: sequence,
        startNs: 0,
        endNs: 1,
        firstOperationNs: null,
        rows: [],
        threads: [],
        cpuUserUs: 0,
        cpuSystemUs: 0,
        residentBytes: 0,
      }),
    ),
  );
  const broken = records[1] as Uint8Array;
  broken[20] = (broken[20] as number) ^ 1;
  await writeFile(path, Buffer.concat(records));
  const file = await open(path);
  try {
    const found = await indexFrameLog(file);
    assert.deepEqual(
      found.map(({ sequence }) => sequence),
      [0, 2, 3],
    );
    for (const location of found)
      assert.equal(decodeFrameIdentity(await readFrameAt(file, location)).sequence, location.sequence);
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
});
