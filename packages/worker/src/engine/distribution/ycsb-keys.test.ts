import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RandomStream, seedOf } from '../random.js';
import { tally } from './chi-square.test.kit.js';
import { DECIMAL64_BYTES, writeDecimal, writeDecimal64, writePadded } from './decimal64.js';
import { fnvHash64, remainder64 } from './fnv-hash.js';
import { writeYcsbKeyNumber, YCSB_KEY_DIGITS, YcsbZipfianKeys } from './ycsb-keys.js';

const decoder = new TextDecoder();
const safe = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const bits64 = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc
      .integer({ min: 0, max: 20 })
      .chain((power) => fc.constantFrom(10n ** BigInt(power), 10n ** BigInt(power) - 1n)),
    fc.bigInt({ min: 0n, max: 1_000_000n }),
  )
  .filter((value) => value < 2n ** 64n);
const halves = (value: bigint): [number, number] => [Number(value >> 32n), Number(value & 0xffffffffn)];

/** The definition, in whole numbers of any size. */
function fnvByDefinition(value: number): bigint {
  let hash = 0xcbf29ce484222325n;
  let rest = BigInt(value);
  for (let octet = 0; octet < 8; octet++) {
    hash = BigInt.asUintN(64, (hash ^ (rest & 0xffn)) * 1_099_511_628_211n);
    rest >>= 8n;
  }
  const signed = BigInt.asIntN(64, hash);
  return signed < 0n ? -signed : signed;
}

function hashOf(value: number): bigint {
  const hash = new Uint32Array(2);
  fnvHash64(value, hash);
  return (BigInt(hash[0] as number) << 32n) | BigInt(hash[1] as number);
}

for (const { value, hash } of [
  { value: 0, hash: 6284781860667377211n },
  { value: 12345, hash: 1792800413050876852n },
])
  test(`fnvhash64(${value}) = ${hash}, as YCSB computes it`, () => assert.equal(hashOf(value), hash));

for (const { record, key } of [
  { record: 0, key: 'user6284781860667377211' },
  { record: 1, key: 'user8517097267634966620' },
])
  test(`record ${record} is ${key}`, () => {
    const bytes = new Uint8Array(4 + YCSB_KEY_DIGITS);
    new TextEncoder().encodeInto('user', bytes);
    const end = writeYcsbKeyNumber(record, bytes, 4);
    assert.equal(decoder.decode(bytes.subarray(0, end)), key);
  });

test('the hash agrees with its definition for every value', () => {
  for (let value = 0; value < 5_000; value++) assert.equal(hashOf(value), fnvByDefinition(value));
  fc.assert(fc.property(safe, (value) => assert.equal(hashOf(value), fnvByDefinition(value))));
});

test('decimal text of any 64-bit number, and nothing written beside it', () => {
  fc.assert(
    fc.property(bits64, fc.integer({ min: 0, max: 3 }), (value, at) => {
      const bytes = new Uint8Array(DECIMAL64_BYTES + 8).fill(33);
      const end = writeDecimal64(...halves(value), bytes, at);
      assert.equal(decoder.decode(bytes), `${'!'.repeat(at)}${value}${'!'.repeat(bytes.length - end)}`);
    }),
    { numRuns: 2_000 },
  );
});

test('decimal text of a whole number, plain and padded', () => {
  fc.assert(
    fc.property(safe, fc.integer({ min: 1, max: 20 }), (value, width) => {
      const bytes = new Uint8Array(40);
      assert.equal(decoder.decode(bytes.subarray(0, writeDecimal(value, bytes, 0))), `${value}`);
      writePadded(value, width, bytes, 0);
      assert.equal(decoder.decode(bytes.subarray(0, width)), `${value}`.padStart(width, '0').slice(-width));
    }),
    { numRuns: 1_000 },
  );
});

test('the remainder of a 64-bit number by any n', () => {
  const n = fc.oneof(
    safe,
    fc.integer({ min: 1, max: 2 ** 38 }),
    fc.constantFrom(2 ** 53 - 1, 2 ** 37, 2 ** 37 + 1),
  );
  fc.assert(
    fc.property(bits64, n, (value, n) =>
      assert.equal(remainder64(...halves(value), Math.max(1, n)), Number(value % BigInt(Math.max(1, n)))),
    ),
    { numRuns: 2_000 },
  );
});

test("YCSB's scrambled zipfian over 1000 keys: the hottest has 3.9 %, and it is the hash of rank 0", () => {
  const keys = new YcsbZipfianKeys(1_000);
  const random = new RandomStream(seedOf(1));
  const counts = tally(1_000, 1_000_000, () => keys.draw(random));
  const hottest = counts.indexOf(Math.max(...counts));
  assert.equal(hottest, Number(fnvByDefinition(0) % 1_000n));
  assert.equal(((counts[hottest] as number) / 10_000).toFixed(1), '3.9');
});
