import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Placeholder, parseCommandText } from '@pacecar/protocol';
import fc from 'fast-check';
import { CommandTemplate, type PlaceholderWidths, type Slot, type SlotFiller } from './command-template.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('latin1');
const WIDTHS: PlaceholderWidths = { key: 6, data: 3, field: 2 };

const template = (text: string, widths = WIDTHS) => new CommandTemplate(parseCommandText(text), widths);

/** The words of the one command that these bytes are. */
function wordsOf(bytes: Uint8Array): string[] {
  const text = decoder.decode(bytes);
  let at = 0;
  const line = (sign: string) => {
    assert.equal(text[at], sign);
    const end = text.indexOf('\r\n', at);
    const number = text.slice(at + 1, end);
    assert.match(number, /^(0|[1-9]\d*)$/);
    at = end + 2;
    return Number(number);
  };
  const words = Array.from({ length: line('*') }, () => {
    const length = line('$');
    const word = text.slice(at, at + length);
    assert.equal(text.slice(at + length, at + length + 2), '\r\n');
    at += length + 2;
    return word;
  });
  assert.equal(at, text.length);
  return words;
}

/** Fills each slot with a text of its own. */
class NamedFiller implements SlotFiller {
  readonly #text: (slot: Slot) => string;
  constructor(text: (slot: Slot) => string) {
    this.#text = text;
  }
  widthOf(slot: Slot): number {
    return this.#text(slot).length;
  }
  fill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void {
    const text = this.#text(slot).padStart(width, '0');
    assert.equal(text.length, width);
    encoder.encodeInto(text, bytes.subarray(offset, offset + width));
  }
}

function composed(made: CommandTemplate, filler: SlotFiller): Uint8Array {
  const length = made.measure(filler);
  const bytes = new Uint8Array(length + 8).fill(33);
  assert.equal(made.compose(bytes, 4, filler), length + 4);
  assert.equal(decoder.decode(bytes.subarray(0, 4)) + decoder.decode(bytes.subarray(length + 4)), '!!!!!!!!');
  return bytes.subarray(4, length + 4);
}

test('the bytes and the places of what is written anew', () => {
  const { name, fixed, slots } = template('ZADD board __score__ m:__member__');
  assert.equal(name, 'ZADD');
  assert.deepEqual(slots, [
    { placeholder: 'score', occurrence: 0 },
    { placeholder: 'member', occurrence: 0 },
  ]);
  assert.ok(fixed !== null);
  assert.equal(
    decoder.decode(fixed.bytes),
    '*4\r\n$4\r\nZADD\r\n$5\r\nboard\r\n$12\r\n000000000000\r\n$14\r\nm:000000000000\r\n',
  );
  assert.deepEqual(fixed.patches, [
    { placeholder: 'score', occurrence: 0, offset: 30, width: 12 },
    { placeholder: 'member', occurrence: 0, offset: 51, width: 12 },
  ]);
});

for (const { text, words } of [
  { text: 'PING', words: ['PING'] },
  { text: `SET __key__ __data__ EX 10`, words: ['SET', 'key0', 'data0', 'EX', '10'] },
  { text: `LPUSH list "" __rand_int__`, words: ['LPUSH', 'list', '', 'rand_int0'] },
  {
    text: `MSET a__key__ __data__ a__key__ __data__`,
    widths: WIDTHS,
    words: ['MSET', 'akey0', 'data0', 'akey1', 'data1'],
  },
  {
    text: `HSET __key__ __field__ "__data____counter__"`,
    widths: WIDTHS,
    words: ['HSET', 'key0', 'field0', 'data0counter0'],
  },
])
  test(`${text}: with fixed and with varying widths it is the same command`, () => {
    const filler = new NamedFiller((slot) => slot.placeholder + slot.occurrence);
    const varying = template(text, { key: null, data: null, field: null });
    const long: PlaceholderWidths = { key: 4, data: 5, field: 6 };
    const padded = (word: string) =>
      word.replace(/(rand_int|counter)\d/, (digits) =>
        digits.padStart(digits.startsWith('r') ? 12 : 16, '0'),
      );
    assert.deepEqual(wordsOf(composed(varying, filler)), words.map(padded));
    const fixed = template(text, long);
    assert.ok(fixed.fixed !== null);
    assert.deepEqual(wordsOf(composed(fixed, filler)), words.map(padded));
    assert.deepEqual(composed(fixed, filler), composed(varying, filler));
  });

test('a template stays as it is when copies of it are filled', () => {
  const made = template('SET __key__ __data__');
  const before = made.fixed?.bytes.slice();
  composed(made, new NamedFiller((slot) => slot.placeholder.slice(0, 3)));
  assert.deepEqual(made.fixed?.bytes, before);
});

test('widths that differ from command to command, up to an empty value and over a change of digits', () => {
  const made = template('SET k:__key__ <__data__>', { key: null, data: null, field: null });
  assert.equal(made.fixed, null);
  for (const [key, data] of [
    ['1', ''],
    ['12345678', 'x'.repeat(7)],
    ['123456789', 'x'.repeat(98)],
    ['1', 'x'.repeat(100_000)],
  ] as const)
    assert.deepEqual(
      wordsOf(composed(made, new NamedFiller((slot) => (slot.placeholder === 'key' ? key : data)))),
      ['SET', `k:${key}`, `<${data}>`],
    );
});

test('only a word with a varying slot is composed anew; the slots keep the order of the command', () => {
  const made = template('MSET __key__ __data__ __key__ __data__', { key: 8, data: null, field: null });
  const asked: string[] = [];
  const filler: SlotFiller = {
    widthOf: ({ placeholder, occurrence }) => {
      asked.push(`${placeholder}${occurrence}?`);
      return occurrence + 1;
    },
    fill: ({ placeholder, occurrence }, bytes, offset, width) => {
      asked.push(`${placeholder}${occurrence}:${width}`);
      bytes.fill(65 + occurrence, offset, offset + width);
    },
  };
  assert.deepEqual(wordsOf(composed(made, filler)), ['MSET', 'AAAAAAAA', 'A', 'BBBBBBBB', 'BB']);
  assert.deepEqual(asked, ['data0?', 'data1?', 'key0:8', 'data0:1', 'key1:8', 'data1:2']);
  assert.deepEqual(
    made.slots.map(({ placeholder, occurrence }) => placeholder + occurrence),
    ['key0', 'data0', 'key1', 'data1'],
  );
});

test('a command of 500 kB with 22,000 placeholders', () => {
  const words = Array.from({ length: 22_000 }, (_, index) => `item:${index}:__rand_int__`);
  const text = `SADD set ${words.join(' ')}`;
  assert.ok(text.length > 500_000);
  const made = template(text);
  assert.equal(made.fixed?.patches.length, 22_000);
  const filled = wordsOf(composed(made, new NamedFiller((slot) => `${slot.occurrence}`)));
  assert.equal(filled.length, 22_002);
  assert.equal(filled[22_001], 'item:21999:000000021999');
});

test('a word of 500 kB', () => {
  const made = template(`SET a "${'x'.repeat(500_000)}__counter__"`);
  assert.equal(made.fixed?.patches[0]?.offset, 500_000 + '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$500016\r\n'.length);
});

test('any template with any widths gives the words that it should', () => {
  const placeholder = fc.constantFrom<Placeholder>(
    'key',
    'data',
    'field',
    'rand_int',
    'counter',
    'score',
    'member',
  );
  const part = fc.oneof(
    placeholder.map((name) => ({ text: `__${name}__`, name })),
    fc.stringMatching(/^[a-z:]{1,5}$/).map((text) => ({ text, name: null })),
  );
  const width = fc.option(fc.integer({ min: 0, max: 12 }), { nil: null });
  const widthOf = (slot: Slot, widths: PlaceholderWidths) => {
    if (slot.placeholder === 'counter') return 16;
    if (slot.placeholder === 'key' || slot.placeholder === 'data' || slot.placeholder === 'field')
      return widths[slot.placeholder] ?? (slot.occurrence * 7) % 13;
    return 12;
  };
  fc.assert(
    fc.property(
      fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.record({ key: width, data: width, field: width }),
      (words, widths) => {
        const made = template(
          ['GET', ...words.map((word) => word.map(({ text }) => text).join(''))].join(' '),
          widths,
        );
        const letters = (slot: Slot) =>
          String.fromCharCode(65 + (slot.occurrence % 26)).repeat(widthOf(slot, widths));
        const occurrences = new Map<string, number>();
        const expected = words.map((word) =>
          word
            .map(({ text, name }) => {
              if (name === null) return text;
              const occurrence = occurrences.get(name) ?? 0;
              occurrences.set(name, occurrence + 1);
              return letters({ placeholder: name, occurrence });
            })
            .join(''),
        );
        assert.deepEqual(wordsOf(composed(made, new NamedFiller(letters))), ['GET', ...expected]);
      },
    ),
    { numRuns: 1_000 },
  );
});
