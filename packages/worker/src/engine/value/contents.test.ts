import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { assertFits } from '../distribution/chi-square.test.kit.js';
import { RandomStream, seedOf } from '../random.js';
import { type Contents, fillContents } from './contents.js';

function filled(contents: Contents, length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  fillContents(contents, bytes, new RandomStream(seedOf(seed)));
  return bytes;
}
const ratioOf = (bytes: Uint8Array) => bytes.length / deflateSync(bytes).length;

function histogram(bytes: Uint8Array): Float64Array {
  const counts = new Float64Array(256);
  for (const byte of bytes) (counts[byte] as number) += 1;
  return counts;
}

for (const ratio of [1.1, 1.5, 2, 3, 4, 8, 10, 16, 20])
  test(`compressible ${ratio}: zlib makes 64 KiB ${ratio} times smaller, within 5 %`, () => {
    const found = ratioOf(filled({ kind: 'compressible', ratio }, 65_536));
    assert.ok(Math.abs(found / ratio - 1) < 0.05, `${found}`);
  });

test('compressible: the beginning of the contents is as compressible as the whole', () => {
  const whole = filled({ kind: 'compressible', ratio: 3 }, 65_536);
  for (const length of [2_000, 4_096, 10_000]) {
    const found = ratioOf(whole.subarray(0, length));
    assert.ok(found > 2.6 && found < 3.2, `${found} at ${length} bytes`);
  }
});

test('random bytes and a ratio of 1 have nothing to compress, and all bytes equally often', () => {
  for (const contents of [{ kind: 'random' }, { kind: 'compressible', ratio: 1 }] as const) {
    const bytes = filled(contents, 1_000_001);
    assert.ok(ratioOf(bytes) < 1);
    assertFits(
      histogram(bytes),
      Array.from({ length: 256 }, () => 1 / 256),
    );
  }
});

test('printable: 64 characters that need no escape anywhere, equally often', () => {
  const counts = histogram(filled({ kind: 'printable' }, 1_000_000));
  const printable = (byte: number) => /^[\w-]$/.test(String.fromCharCode(byte));
  assert.ok(counts.every((count, byte) => printable(byte) === count > 0));
  assertFits(
    counts.filter((_, byte) => printable(byte)),
    Array.from({ length: 64 }, () => 1 / 64),
  );
});

test('the same seed gives the same contents, another seed others', () => {
  for (const contents of [
    { kind: 'random' },
    { kind: 'printable' },
    { kind: 'compressible', ratio: 2 },
  ] as const) {
    assert.deepEqual(filled(contents, 1_000, 5), filled(contents, 1_000, 5));
    assert.notDeepEqual(filled(contents, 1_000, 5), filled(contents, 1_000, 6));
  }
});

test('a ratio that no contents can have is refused', () => {
  for (const ratio of [0.5, 21, Number.NaN])
    assert.throws(() => filled({ kind: 'compressible', ratio }, 10), {
      code: 'REQUEST_INVALID',
      message: `the compression ratio is ${ratio}; allowed is 1..20`,
    });
});
