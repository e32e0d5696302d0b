import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Values } from '@pacecar/protocol';
import fc from 'fast-check';
import { SHARED_TEXT, sharedText } from './shared-text.js';
import { fieldKey, ValueCheck, valueOf } from './value-source.js';
import { valueText } from './value-text.js';

const key = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const length = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 3_000 }),
  fc.integer({ min: 65_530, max: 200_000 }),
);

/** Whether a check that gets `bytes` in pieces of these sizes finds a value of the key. */
function isRight(of: number, bytes: Uint8Array, pieces: readonly number[] = []): boolean {
  const check = new ValueCheck();
  check.begin(of, bytes.length);
  let at = 0;
  for (const piece of [...pieces, bytes.length]) {
    const end = Math.min(bytes.length, at + piece);
    check.add(bytes, at, end);
    at = end;
  }
  return check.right;
}

describe('values', () => {
  test('any reader finds a value right, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(
        key,
        length,
        fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 }),
        (of, bytes, pieces) => isRight(of, valueOf(of, bytes), pieces),
      ),
    );
  });

  test('a value of another key is wrong', () => {
    fc.assert(
      fc.property(key, key, fc.integer({ min: 8, max: 200 }), (mine, other, bytes) =>
        mine === other ? true : !isRight(mine, valueOf(other, bytes)),
      ),
    );
  });

  test('a field of a record is neither another field nor the same field of another record', () => {
    const field = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(key, key, field, field, (mine, other, one, another) => {
        const same = mine === other && one === another;
        const value = valueOf(fieldKey(other, another), 20);
        assert.equal(isRight(fieldKey(mine, one), value), same);
      }),
    );
    assert.ok(!isRight(fieldKey(7, 0), valueOf(7, 20)));
  });

  test('values of every content are found right, and not those of another content', () => {
    const contents: readonly Values['content'][] = [
      { kind: 'printable' },
      { kind: 'random' },
      { kind: 'compressible', ratio: 3 },
    ];
    for (const mine of contents)
      for (const other of contents) {
        const value = valueOf(7, 500, sharedText(other));
        const check = new ValueCheck(sharedText(mine));
        check.begin(7, 500);
        check.add(value, 0, 500);
        assert.equal(check.right, mine === other);
      }
  });

  test('a value that was cut or made longer is wrong', () => {
    const value = valueOf(7, 100);
    assert.ok(!isRight(7, value.subarray(0, 60)));
    assert.ok(!isRight(7, Uint8Array.from([...value, 65])));
  });

  /** Whether a part of a value is found right, of `asked` bytes from `offset` on. */
  function isRightPart(of: number, value: Uint8Array, offset: number, asked: number): boolean {
    const part = value.subarray(Math.min(offset, value.length), offset + asked);
    const check = new ValueCheck();
    check.beginPart(of, { offset, asked, received: part.length });
    const half = part.length >> 1;
    check.add(part, 0, half);
    check.add(part, half, part.length);
    return check.right;
  }

  test('every part of a value is right, and one wrong byte in it is found where it can be known', () => {
    const place = fc.nat(400);
    fc.assert(
      fc.property(
        key,
        fc.integer({ min: 0, max: 300 }),
        place,
        place,
        place,
        (of, bytes, offset, asked, at) => {
          const value = valueOf(of, bytes);
          assert.ok(isRightPart(of, value, offset, asked + 1));
          if (at >= bytes) return;
          value[at] = (value[at] as number) ^ 1;
          const isRead = at >= offset && at < offset + asked + 1;
          const isKnown = at >= 8 || bytes < offset + asked + 1;
          assert.equal(isRightPart(of, value, offset, asked + 1), !(isRead && isKnown));
        },
      ),
    );
  });

  test('one wrong byte anywhere is found', () => {
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 300 }), fc.nat(), (of, bytes, place) => {
        const value = valueOf(of, bytes);
        const at = place % bytes;
        value[at] = (value[at] as number) ^ 1;
        return !isRight(of, value);
      }),
    );
  });

  test('a value that ended early, while more was announced, is wrong', () => {
    const check = new ValueCheck();
    check.begin(7, 10);
    check.add(valueOf(7, 10), 0, 9);
    assert.equal(check.right, false);
  });

  test('more than was announced is wrong, however much', () => {
    const value = valueOf(7, 300_000);
    for (const announced of [5, 10, 100, 70_000, 299_999]) {
      const check = new ValueCheck();
      check.begin(7, announced);
      check.add(value, 0, 3);
      check.add(value, 3, value.length);
      assert.equal(check.right, false, String(announced));
    }
  });

  test('as a string it is the same', () => {
    fc.assert(
      fc.property(
        key,
        length,
        (of, bytes) => valueText(of, bytes) === Buffer.from(valueOf(of, bytes)).toString('latin1'),
      ),
    );
  });

  test('values are printable, of the size asked for, and beyond the mark the shared text', () => {
    assert.match(Buffer.from(valueOf(123_456, 500)).toString('latin1'), /^[0-9A-Za-z_-]{500}$/);
    assert.deepEqual(valueOf(3, 100).subarray(8), SHARED_TEXT.upTo(100).subarray(8, 100));
    assert.equal(valueOf(3, 0).length, 0);
  });

  test('marks of 100,000 keys are all different', () => {
    const marks = new Set<string>();
    for (let of = 0; of < 100_000; of++) marks.add(valueText(of, 8));
    assert.equal(marks.size, 100_000);
  });
});
