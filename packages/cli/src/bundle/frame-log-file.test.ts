import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { frameRecord, readFrameLog } from '@pacecar/protocol';
import fc from 'fast-check';
import { readFrameLogFile } from './frame-log-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-log-'));
const path = join(folder, 'worker-0.pcf');
after(() => rmSync(folder, { recursive: true }));

function read(log: Uint8Array): { frames: Uint8Array[]; damage: string | null } {
  writeFileSync(path, log);
  const frames: Uint8Array[] = [];
  const reading = readFrameLogFile(path);
  for (;;) {
    const next = reading.next();
    if (next.done === true) return { frames, damage: next.value };
    frames.push(next.value.slice());
  }
}

function readWhole(log: Uint8Array): { frames: Uint8Array[]; damage: string | null } {
  const frames: Uint8Array[] = [];
  const { damage } = readFrameLog(log, (frame) => frames.push(Uint8Array.from(frame)));
  return { frames, damage };
}

const logs = fc
  .array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 })
  .map((frames) => Buffer.concat(frames.map(frameRecord)));

test('a log read from its file gives what a log in memory gives, wherever a crash cut it', () => {
  fc.assert(
    fc.property(logs, fc.double({ min: 0, max: 1, noNaN: true }), (log, part) => {
      const cut = log.subarray(0, Math.floor(log.length * part));
      assert.deepEqual(read(cut), readWhole(cut));
    }),
  );
});

test('a flipped byte is told with its place, costs as much as in memory, and is never taken for a frame', () => {
  fc.assert(
    fc.property(
      logs.filter((log) => log.length > 0),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (log, at, mask) => {
        const broken = Uint8Array.from(log);
        broken[at % log.length] = (broken[at % log.length] as number) ^ mask;
        const got = read(broken);
        assert.deepEqual(got, readWhole(broken));
        assert.notEqual(got.damage, null);
      },
    ),
  );
});

test('frames larger than a chunk and logs of many chunks are read whole', () => {
  const frames = [3_000_000, 10, 1_048_576, 1_048_560, 0, 5].map((length, n) =>
    new Uint8Array(length).fill(n + 1),
  );
  const got = read(Buffer.concat(frames.map(frameRecord)));
  assert.equal(got.damage, null);
  assert.deepEqual(
    got.frames.map((frame) => [frame.length, frame[0]]),
    frames.map((frame) => [frame.length, frame[0]]),
  );
});
