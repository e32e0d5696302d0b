import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CommandText, CommandTextInvalid, parseCommandText } from './command-text.js';

const decoder = new TextDecoder('latin1');

/** Words as text, bytes above 126 and below 32 as \xHH, placeholders as <name>. */
function shown(command: CommandText): string[] {
  return command.words.map((word) =>
    word
      .map((part) =>
        part.kind === 'placeholder'
          ? `<${part.placeholder}>`
          : decoder
              .decode(part.bytes)
              .replace(/[^ -~]/g, (odd) => `\\x${odd.charCodeAt(0).toString(16).padStart(2, '0')}`),
      )
      .join('|'),
  );
}

for (const { what, text, words } of [
  { what: 'words between blanks', text: '  GET\t a \n', words: ['GET', 'a'] },
  {
    what: 'placeholders',
    text: 'ZADD board __score__ __member__',
    words: ['ZADD', 'board', '<score>', '<member>'],
  },
  {
    what: 'placeholders within words, side by side',
    text: 'SET user:__key__:x __data____data__',
    words: ['SET', 'user:|<key>|:x', '<data>|<data>'],
  },
  { what: 'an underscore before a placeholder', text: 'GET ___key__', words: ['GET', '_|<key>'] },
  {
    what: 'every placeholder',
    text: 'X __rand_int__ __counter__ __field__',
    words: ['X', '<rand_int>', '<counter>', '<field>'],
  },
  { what: 'single quotes', text: `SET a 'b c\\'d\\n "e"'`, words: ['SET', 'a', `b c'd\\n "e"`] },
  {
    what: 'double quotes with escapes',
    text: String.raw`SET a "b\tc\"d\x00\xfF\\ \q 'e'"`,
    words: ['SET', 'a', String.raw`b\x09c"d\x00\xff\ q 'e'`],
  },
  { what: 'what is no hexadecimal pair', text: String.raw`SET a "\xg1\x1"`, words: ['SET', 'a', 'xg1x1'] },
  { what: 'empty words', text: `SET "" ''`, words: ['SET', '', ''] },
  { what: 'a quote within a word goes on with it', text: `SET ab"c d"`, words: ['SET', 'abc d'] },
  {
    what: 'a placeholder within quotes',
    text: `SET "a __key__" '__data__'`,
    words: ['SET', 'a |<key>', '<data>'],
  },
  {
    what: 'an escape makes a placeholder text',
    text: String.raw`SET "\x5f_key__" "\__key__"`,
    words: ['SET', '__key__', '__key__'],
  },
  { what: 'underscores alone', text: 'SET ____ _a_ a__', words: ['SET', '____', '_a_', 'a__'] },
  { what: 'a \\ outside quotes is itself', text: String.raw`SET a\n`, words: ['SET', String.raw`a\n`] },
  { what: 'UTF-8', text: 'SET ä 😀', words: ['SET', '\\xc3\\xa4', '\\xf0\\x9f\\x98\\x80'] },
  {
    what: 'a printed quote within quotes belongs to the text',
    text: `SET "\u2019"`,
    words: ['SET', '\\xe2\\x80\\x99'],
  },
])
  test(`${what}: ${text}`, () => assert.deepEqual(shown(parseCommandText(text)), words));

test('the name is said in capitals, the words as they stand', () => {
  const command = parseCommandText('json.get __key__');
  assert.equal(command.name, 'JSON.GET');
  assert.deepEqual(shown(command), ['json.get', '<key>']);
});

for (const { text, column, message } of [
  { text: '', column: 1, message: /there is none; write for example/ },
  { text: ' \t', column: 1, message: /there is none/ },
  { text: `SET a 'b c`, column: 7, message: /the quote ' is not closed$/ },
  { text: `SET a "b\\"`, column: 7, message: /the quote " is not closed$/ },
  { text: `SET a "b\\`, column: 7, message: /the quote " is not closed$/ },
  { text: `SET 😀 "b"c`, column: 10, message: /after the closing quote " stands a blank/ },
  { text: `SET 'a''b'`, column: 8, message: /after the closing quote '/ },
  {
    text: 'GET __kye__',
    column: 5,
    message: /__kye__ is no placeholder; did you mean __key__\? Known are __key__, __data__, /,
  },
  { text: 'GET a __randint__', column: 7, message: /did you mean __rand_int__\?/ },
  { text: 'GET __KEY__', column: 5, message: /__KEY__ is no placeholder; did you mean __key__\?/ },
  {
    text: 'GET __zzz__',
    column: 5,
    message: /__zzz__ is no placeholder\. Known .* to send it as text, write "\\x5f_zzz__"$/,
  },
  {
    text: '  __key__ a',
    column: 3,
    message: /the command's name is fixed text, without a placeholder and not empty/,
  },
  { text: 'G__key__ a', column: 1, message: /the command's name is fixed text/ },
  { text: `"" a`, column: 1, message: /not empty/ },
  {
    text: 'GET\u00a0a',
    column: 4,
    message: /a no-break space \(U\+00A0\); write a plain blank, or put it between quotes/,
  },
  { text: 'SET a \u201cb\u201d', column: 7, message: /a printed quote \(U\+201C\); write a plain "/ },
  { text: 'SET a \ud800', column: 7, message: /half of a surrogate pair/ },
])
  test(`refused at column ${column}: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parseCommandText(text),
      (thrown) => {
        assert.ok(thrown instanceof CommandTextInvalid);
        assert.equal(thrown.code, 'REQUEST_INVALID');
        assert.equal(thrown.column, column);
        assert.match(thrown.message, message);
        assert.ok(thrown.message.startsWith(`column ${column} of the command: `));
        return true;
      },
    );
  });

test('any text, quoted as redis-cli prints it, comes back', () => {
  const quote = (bytes: Uint8Array) =>
    `"${Array.from(bytes, (byte) =>
      byte === 34 || byte === 92
        ? `\\${String.fromCharCode(byte)}`
        : byte >= 32 && byte < 127 && byte !== 95
          ? String.fromCharCode(byte)
          : `\\x${byte.toString(16).padStart(2, '0')}`,
    ).join('')}"`;
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), (values) => {
      const { words } = parseCommandText(['SET', ...values.map(quote)].join(' '));
      const back = words
        .slice(1)
        .map((word) => (word[0]?.kind === 'literal' ? Array.from(word[0].bytes) : null));
      assert.deepEqual(
        back,
        values.map((value) => Array.from(value)),
      );
    }),
  );
});

test('any text is read or refused with a column of it, never anything else', () => {
  const piece = fc.oneof(
    fc.constantFrom('"', "'", '\\', ' ', '__', '__key__', 'a', 'x41', '\u00a0'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = `SET ${pieces.join('')}`;
      try {
        assert.ok(parseCommandText(text).words.length >= 1);
      } catch (thrown) {
        assert.ok(thrown instanceof CommandTextInvalid, String(thrown));
        assert.ok(thrown.column >= 1 && thrown.column <= [...text].length + 1);
      }
    }),
    { numRuns: 2_000 },
  );
});
