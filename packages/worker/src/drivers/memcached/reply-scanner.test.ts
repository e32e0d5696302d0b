import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { OUTCOME, type ReplySink } from './reply.js';
import { ReplyScanner } from './reply-scanner.js';

const NAMES = Object.keys(OUTCOME);

/** Writes down what a scanner says: one line for each reply, values before it. */
class Notes implements ReplySink {
  readonly lines: string[] = [];
  #values = '';
  #value = '';

  reply(outcome: number, items: number, bytes: number): void {
    this.#add(`${NAMES[outcome]} ${items} (${bytes})`);
  }

  error(kind: string, bytes: number): void {
    this.#add(`error ${kind} (${bytes})`);
  }

  valueBegins(length: number, line: Uint8Array, lineAt: number, lineEnd: number): void {
    const said = Buffer.from(line.subarray(lineAt, lineEnd)).toString('latin1');
    this.#value = `[${said}] ${length}:`;
  }

  value(bytes: Uint8Array, start: number, end: number): void {
    this.#value += Buffer.from(bytes.subarray(start, end)).toString('latin1');
  }

  valueEnds(): void {
    this.#values += `${JSON.stringify(this.#value)} `;
  }

  #add(text: string): void {
    this.lines.push(this.#values + text);
    this.#values = '';
  }
}

/** What is said of bytes that arrive in these pieces. */
function notesOf(pieces: readonly Uint8Array[], values = true): string[] {
  const notes = new Notes();
  const scanner = new ReplyScanner(notes, { values });
  // As in life: every read comes at the beginning of the same buffer, with older bytes behind it.
  const buffer = Buffer.alloc(64 * 1024, 'VA 9\r\nHD\r\n');
  for (const piece of pieces) {
    buffer.set(piece);
    scanner.scan(buffer, 0, piece.length);
  }
  return notes.lines;
}

/** A reply, and what is said of it. */
const REPLIES: readonly (readonly [bytes: string, said: string])[] = [
  ['HD\r\n', 'done 0 (4)'],
  ['HD c12 O5\r\n', 'done 0 (11)'],
  ['EN\r\n', 'read 0 (4)'],
  ['NF\r\n', 'notFound 0 (4)'],
  ['NF O1\r\n', 'notFound 0 (7)'],
  ['NS\r\n', 'notStored 0 (4)'],
  ['EX\r\n', 'exists 0 (4)'],
  ['MN\r\n', 'noOperation 0 (4)'],
  ['VA 3\r\nabc\r\n', '"[VA 3] 3:abc" read 1 (11)'],
  ['VA 0\r\n\r\n', '"[VA 0] 0:" read 1 (8)'],
  ['VA 4 c77 t-1\r\n\r\nHD\r\n', '"[VA 4 c77 t-1] 4:\\r\\nHD" read 1 (20)'],
  ['STORED\r\n', 'done 0 (8)'],
  ['NOT_STORED\r\n', 'notStored 0 (12)'],
  ['NOT_FOUND\r\n', 'notFound 0 (11)'],
  ['EXISTS\r\n', 'exists 0 (8)'],
  ['DELETED\r\n', 'done 0 (9)'],
  ['TOUCHED\r\n', 'done 0 (9)'],
  ['OK\r\n', 'done 0 (4)'],
  ['END\r\n', 'read 0 (5)'],
  ['7\r\n', 'done 0 (3)'],
  ['99  \r\n', 'done 0 (6)'],
  ['18446744073709551615\r\n', 'done 0 (22)'],
  ['VALUE key:1 0 3\r\nabc\r\nEND\r\n', '"[VALUE key:1 0 3] 3:abc" read 1 (27)'],
  ['VALUE k 12 0\r\n\r\nEND\r\n', '"[VALUE k 12 0] 0:" read 1 (21)'],
  ['VALUE k 0 5 901\r\nEND\r\n\r\nEND\r\n', '"[VALUE k 0 5 901] 5:END\\r\\n" read 1 (29)'],
  [
    'VALUE a 0 1\r\nx\r\nVALUE b 0 2\r\nyz\r\nEND\r\n',
    '"[VALUE a 0 1] 1:x" "[VALUE b 0 2] 2:yz" read 2 (38)',
  ],
  ['ERROR\r\n', 'error ERROR (7)'],
  ['CLIENT_ERROR bad data chunk\r\n', 'error CLIENT_ERROR (29)'],
  ['CLIENT_ERROR cannot increment or decrement non-numeric value\r\n', 'error NOT_A_NUMBER (62)'],
  ['SERVER_ERROR object too large for cache\r\n', 'error TOO_LARGE (41)'],
  ['SERVER_ERROR out of memory storing object\r\n', 'error OUT_OF_MEMORY (43)'],
  ['SERVER_ERROR Out of memory during read\r\n', 'error OUT_OF_MEMORY (40)'],
  ['SERVER_ERROR\r\n', 'error SERVER_ERROR (14)'],
];

const bytesOf = (texts: readonly string[]) => Buffer.from(texts.join(''), 'latin1');

describe('the scanner of memcached replies', () => {
  for (const [bytes, said] of REPLIES) {
    test(`${JSON.stringify(bytes)} is ${said}, whole and cut at every byte`, () => {
      assert.deepEqual(notesOf([bytesOf([bytes])]), [said]);
      for (let cut = 1; cut < bytes.length; cut++)
        assert.deepEqual(
          notesOf([bytesOf([bytes.slice(0, cut)]), bytesOf([bytes.slice(cut)])]),
          [said],
          `cut at ${cut}`,
        );
      assert.deepEqual(
        notesOf([...bytesOf([bytes])].map((byte) => Uint8Array.of(byte))),
        [said],
        'byte by byte',
      );
      // Without wanting values, they are passed over.
      assert.deepEqual(notesOf([bytesOf([bytes])], false), [said.replace(/"(\\.|[^"\\])*" /g, '')]);
    });
  }

  test('any replies, one after the other, cut anywhere, are the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...REPLIES), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        (replies, cuts) => {
          const bytes = bytesOf(replies.map(([text]) => text));
          const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
          let from = 0;
          const pieces = places.map((to) => {
            const piece = bytes.subarray(from, to);
            from = to;
            return piece;
          });
          assert.deepEqual(
            notesOf(pieces),
            replies.map(([, said]) => said),
          );
        },
      ),
    );
  });

  test('a value larger than a read comes in pieces', () => {
    const value = 'v'.repeat(150_000);
    const bytes = Buffer.from(`VA ${value.length}\r\n${value}\r\nEN\r\n`);
    const pieces = [];
    for (let at = 0; at < bytes.length; at += 50_000) pieces.push(bytes.subarray(at, at + 50_000));
    const [first, second] = notesOf(pieces);
    assert.equal(first, `"[VA 150000] 150000:${value}" read 1 (${bytes.length - 4})`);
    assert.equal(second, 'read 0 (4)');
  });

  for (const [bytes, why] of [
    ['+PONG\r\n', 'a reply of a Redis'],
    ["-ERR unknown command 'mg'\r\n", 'an error of a Redis'],
    ['HTTP/1.1 400 Bad Request\r\n', 'a web server'],
    ['VA 3\r\nabcd\r\n', 'a value longer than it says'],
    ['VALUE k 0 3\r\nabcd\r\nEND\r\n', 'the same in the text protocol'],
    ['VA\r\n', 'no length'],
    ['VA x\r\n', 'a length that is no number'],
    ['VA 99999999999\r\n', 'a length beyond all lengths'],
    ['VALUE k 0\r\n', 'a value without a length'],
    ['VENUS k 0 3\r\n', 'a word that is none'],
    ['STORED \r\n', 'a blank too many'],
    ['HDX\r\n', 'letters that begin like a reply'],
    ['\r\n', 'an empty line'],
    ['END\n', 'a line that ends without a return'],
    ['x'.repeat(3_000), 'a line without an end'],
  ] as const)
    test(`${JSON.stringify(bytes.slice(0, 30))} is no reply: ${why}, whole or cut`, () => {
      assert.throws(() => notesOf([bytesOf([bytes])]), ReplyInvalid);
      const singly = [...bytesOf([bytes])].map((byte) => Uint8Array.of(byte));
      assert.throws(() => notesOf(singly), ReplyInvalid);
    });

  test('after a reset, what was cut is forgotten', () => {
    const notes = new Notes();
    const scanner = new ReplyScanner(notes, { values: true });
    for (const begun of ['VALUE a 0 9\r\nab', 'VALUE a 0 1\r\nx\r\nVAL', 'VA 7\r\n']) {
      scanner.scan(Buffer.from(begun), 0, begun.length);
      scanner.reset();
    }
    scanner.scan(Buffer.from('HD\r\nEN\r\n'), 0, 8);
    assert.deepEqual(
      notes.lines.map((line) => line.replace(/^".*" /, '')),
      ['done 0 (4)', 'read 0 (4)'],
    );
  });
});
