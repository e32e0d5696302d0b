import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Values } from '@pacecar/protocol';
import { SharedText, sharedText, TEXT_BYTES, textOf } from './shared-text.js';
import { ValueCheck, valueOf } from './value-source.js';
import { valueText } from './value-text.js';

const CONTENTS: readonly Values['content'][] = [
  { kind: 'printable' },
  { kind: 'random' },
  { kind: 'compressible', ratio: 1.5 },
  { kind: 'compressible', ratio: 7 },
];
const MIB = 1024 * 1024;

/** How many times smaller a compressor makes it that looks back over all of it. */
function ratioOf(bytes: Uint8Array): number {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 };
  return bytes.length / brotliCompressSync(bytes, { params }).length;
}

describe('the text that values share', () => {
  for (const content of CONTENTS) {
    const name = JSON.stringify(content);

    test(`${name}: more of it begins as less of it`, () => {
      const text = new SharedText(content);
      const first = text.upTo(10);
      assert.ok(first.length >= 65_536 && first.length < MIB);
      const more = text.upTo(MIB);
      assert.ok(more.length >= MIB);
      assert.deepEqual(more.subarray(0, first.length), first);
      assert.equal(text.upTo(10), more);
      assert.deepEqual(new SharedText(content).upTo(300_000), more.subarray(0, 512 * 1024));
    });

    test(`${name}: a value of 1 MiB does not repeat itself`, () => {
      const small = ratioOf(valueOf(7, 60_000, sharedText(content)));
      const large = ratioOf(valueOf(7, MIB, sharedText(content)));
      assert.ok(Math.abs(large / small - 1) < 0.05, `${small} at 60 kB, ${large} at 1 MiB`);
    });
  }

  test('is the same for a reader who never wrote a value as long', () => {
    const value = valueOf(7, 700_000, new SharedText({ kind: 'random' }));
    const check = new ValueCheck(new SharedText({ kind: 'random' }));
    check.begin(7, value.length);
    check.add(value, 0, 400_001);
    check.add(value, 400_001, value.length);
    assert.equal(check.right, true);
    value[650_000] = (value[650_000] as number) ^ 1;
    check.begin(7, value.length);
    check.add(value, 0, value.length);
    assert.equal(check.right, false);
  });

  test('goes round after 16 MiB, as bytes and as a string', () => {
    const length = TEXT_BYTES + 1_000;
    const value = valueOf(7, length);
    assert.deepEqual(value.subarray(TEXT_BYTES + 8), value.subarray(8, 1_000));
    assert.equal(Buffer.from(value).toString('latin1') === valueText(7, length), true);
    const check = new ValueCheck();
    check.begin(7, length);
    check.add(value, 0, length);
    assert.equal(check.right, true);
  });

  test('is made beforehand as far as values and fields reach', () => {
    const size = (bytes: number) => ({ kind: 'fixed', bytes }) as const;
    const content = { kind: 'compressible', ratio: 2.5 } as const;
    textOf({ values: { size: size(100), content }, records: null });
    assert.equal(sharedText(content).upTo(0).length, 65_536);
    const fields = { fields: 2, fieldSize: size(200_000), readAllFields: true, writeAllFields: true };
    textOf({ values: { size: size(100_000), content }, records: fields });
    assert.equal(sharedText(content).upTo(0).length, 262_144);
  });
});
