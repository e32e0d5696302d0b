import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { crc32, frameRecord, readFrameLog } from './bundle.js';
import { LIMITS } from './limits.js';

const frames = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });

function logOf(all: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(all.map(frameRecord));
}

function read(log: Uint8Array) {
  const seen: number[][] = [];
  const end = readFrameLog(log, (frame) => seen.push([...frame]));
  return { seen, ...end };
}

describe('frame log', () => {
  test('gives back every frame in order and ends cleanly', () => {
    fc.assert(
      fc.property(frames, (all) => {
        const log = logOf(all);
        assert.deepEqual(read(log), {
          seen: all.map((frame) => [...frame]),
          bytes: log.length,
          damage: null,
        });
      }),
    );
  });

  test('cut at any byte it gives every whole frame before the cut and says where it is damaged', () => {
    const all = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.of(9, 9)];
    const log = logOf(all);
    const ends = [0, 11, 19, 29];
    for (let length = 0; length <= log.length; length++) {
      const whole = ends.filter((end) => end <= length).length - 1;
      const result = read(log.subarray(0, length));
      assert.deepEqual(
        result.seen,
        all.slice(0, whole).map((frame) => [...frame]),
      );
      assert.equal(result.bytes, ends[whole]);
      if (length === ends[whole]) assert.equal(result.damage, null);
      else assert.match(result.damage as string, new RegExp(`cut inside a .* at byte ${ends[whole]}`));
    }
  });

  test('a flipped bit anywhere never gives a wrong frame, and costs the frames around it only where it hits a length', () => {
    const all = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6, 7), Uint8Array.of(8)];
    const log = logOf(all);
    const ends = [11, 23, 32];
    for (let at = 0; at < log.length; at++)
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Uint8Array.from(log);
        damaged[at] = (damaged[at] as number) ^ (1 << bit);
        const before = ends.filter((end) => end <= at).length;
        const inLength = at - (before === 0 ? 0 : (ends[before - 1] as number)) < 4;
        const result = read(damaged);
        const expected = all.filter((_, index) => index < before || (!inLength && index > before));
        // Past a length that lies, frames may be found again, but never one that was not written.
        const seen = inLength ? result.seen.slice(0, before) : result.seen;
        assert.deepEqual(
          seen,
          expected.map((frame) => [...frame]),
          `byte ${at}, bit ${bit}`,
        );
        for (const frame of result.seen)
          assert.ok(
            all.some((one) => one.join() === frame.join()),
            `byte ${at}, bit ${bit}`,
          );
        assert.notEqual(result.damage, null);
      }
  });

  test('frames with wrong checksums are left out, counted in one sentence, and the log is read to its end', () => {
    const all = [1, 2, 3, 4, 5].map((value) => Uint8Array.of(value, value));
    const log = logOf(all);
    for (const index of [1, 3]) log[index * 10 + 9] = 77;
    assert.deepEqual(read(log), {
      seen: [
        [1, 1],
        [3, 3],
        [5, 5],
      ],
      bytes: 50,
      damage: 'checksums of 2 frames are wrong, the first at byte 10',
    });
    assert.equal(
      read(log.subarray(0, 45)).damage,
      'checksums of 2 frames are wrong, the first at byte 10; cut inside a record head at byte 40',
    );
  });

  test('a record that claims more than a frame may have is damage, not an allocation', () => {
    const log = frameRecord(Uint8Array.of(1));
    new DataView(log.buffer).setUint32(0, LIMITS.frameBytes + 1);
    assert.match(read(log).damage as string, /^a record of 8388609 bytes at byte 0$/);
  });

  test('garbage never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (log) => void read(log)));
  });
});

describe('CRC-32', () => {
  test('is that of zip and gzip', () => {
    const sums: readonly [string, number][] = [
      ['', 0],
      ['a', 0xe8b7be43],
      ['123456789', 0xcbf43926],
      ['The quick brown fox jumps over the lazy dog', 0x414fa339],
    ];
    for (const [text, sum] of sums) assert.equal(crc32(new TextEncoder().encode(text)), sum, text);
  });
});
