import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteReader, BytesInvalid, ByteWriter } from './bytes.js';

function written(write: (writer: ByteWriter) => void): Uint8Array {
  // A capacity of 1 makes every write grow the buffer.
  const writer = new ByteWriter(1);
  write(writer);
  return writer.finish();
}

/** Each as in the LEB128 of Protocol Buffers and WebAssembly. */
const VARINTS: readonly [number, string][] = [
  [0, '00'],
  [1, '01'],
  [127, '7f'],
  [128, '8001'],
  [300, 'ac02'],
  [16_383, 'ff7f'],
  [16_384, '808001'],
  [2 ** 31 - 1, 'ffffffff07'],
  [2 ** 31, '8080808008'],
  [2 ** 32, '8080808010'],
  [2 ** 53 - 1, 'ffffffffffffff0f'],
];

describe('bytes', () => {
  for (const [value, hex] of VARINTS)
    test(`varint ${value} is ${hex}`, () => {
      const bytes = written((writer) => writer.varint(value));
      assert.equal(Buffer.from(bytes).toString('hex'), hex);
      assert.equal(new ByteReader(bytes).varint(), value);
    });

  test('varints refuse fractions, negatives, NaN and what is past 2^53-1', () => {
    for (const value of [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
      assert.throws(() => written((writer) => writer.varint(value)), RangeError);
    assert.throws(() => new ByteReader(Buffer.from('8080808080808010', 'hex')).varint(), BytesInvalid);
    assert.throws(() => new ByteReader(Buffer.from('ff'.repeat(12), 'hex')).varint(), BytesInvalid);
  });

  test('everything written is read again', () => {
    const integer = fc.maxSafeNat();
    const signed = fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 });
    fc.assert(
      fc.property(
        integer,
        fc.nat(0xffffffff),
        signed,
        fc.bigInt({ min: 0n, max: 2n ** 126n - 1n }),
        fc.float({ noNaN: true }),
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array(),
        (count, word, difference, big, fraction, text, block) => {
          const bytes = written((writer) => {
            writer.varint(count);
            writer.u32(word);
            writer.zigzag(difference);
            writer.bigVarint(big);
            writer.float(fraction);
            writer.text(text);
            writer.block(block);
          });
          // Inside a larger buffer, as a record of a log is.
          const around = Buffer.concat([Buffer.from([1, 2, 3]), bytes, Buffer.from([4])]);
          const reader = new ByteReader(around, 3, 3 + bytes.length);
          assert.equal(reader.varint(), count);
          assert.equal(reader.u32(), word);
          assert.equal(reader.zigzag(), difference === 0 ? 0 : difference);
          assert.equal(reader.bigVarint(), big);
          assert.equal(reader.float(), fraction);
          assert.equal(reader.text(10_000), text);
          assert.deepEqual(Buffer.from(reader.block()), Buffer.from(block));
          assert.equal(reader.remaining, 0);
        },
      ),
    );
  });

  test('zig-zag refuses what does not fit, big numbers what is negative', () => {
    assert.throws(() => written((writer) => writer.zigzag(2 ** 52)), RangeError);
    assert.throws(() => written((writer) => writer.zigzag(0.25)), RangeError);
    assert.throws(() => written((writer) => writer.bigVarint(-1n)), RangeError);
  });

  test('reading past the end, a text that is too long or not UTF-8 is BytesInvalid', () => {
    const reads: [string, string, (reader: ByteReader) => unknown][] = [
      ['an empty buffer', '', (reader) => reader.varint()],
      ['a varint cut in the middle', '80', (reader) => reader.varint()],
      ['a short word', '000000', (reader) => reader.u32()],
      ['a short float', '0000', (reader) => reader.float()],
      ['a block longer than the rest', '0501', (reader) => reader.block()],
      ['a block of 2^53-1 bytes', 'ffffffffffffff0f', (reader) => reader.block()],
      ['a text of 3 bytes where 2 are allowed', '03616161', (reader) => reader.text(2)],
      ['a byte that is not UTF-8', '01ff', (reader) => reader.text(10)],
      ['a big number without an end', 'ff'.repeat(40), (reader) => reader.bigVarint()],
    ];
    for (const [what, hex, read] of reads)
      assert.throws(() => read(new ByteReader(Buffer.from(hex, 'hex'))), BytesInvalid, what);
  });
});
