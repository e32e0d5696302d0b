import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { ReplyScanner } from './reply-scanner.js';
import type { ReplyDetail, ReplySink } from './reply-sink.js';

/** What a scanner tells: one line for each reply, and for the items in it before it. */
class Heard implements ReplySink {
  readonly lines: string[] = [];
  readonly items: string[] = [];
  #body: string | null = null;
  #last = '';

  reply(type: number, value: number, bytes: number): void {
    this.lines.push(`${String.fromCharCode(type)} ${value} (${bytes})${this.#last}`);
    this.#last = '';
  }
  error(word: string, bytes: number): void {
    this.lines.push(`- ${word} (${bytes})`);
  }
  item(depth: number, type: number, value: number): void {
    this.items.push(`${'.'.repeat(depth)}${String.fromCharCode(type)}${value}`);
  }
  errorInside(word: string): void {
    this.items.push(word);
  }
  bodyBegins(length: number): void {
    assert.equal(this.#body, null, 'a body begins while another is under way');
    this.#body = '';
    assert.ok(length >= 0);
  }
  body(bytes: Uint8Array, start: number, end: number): void {
    assert.notEqual(this.#body, null, 'a body without a beginning');
    this.#body += Buffer.from(bytes.subarray(start, end)).toString('latin1');
  }
  bodyEnds(): void {
    this.#last = ` ${JSON.stringify(this.#body)}`;
    this.items.push(JSON.stringify(this.#body));
    this.#body = null;
  }
}

/** Scans `text` in pieces that end at these places. The buffer is used again, as a socket's read buffer is. */
function hear(text: string, cuts: readonly number[], detail: ReplyDetail): Heard {
  const bytes = Buffer.from(text, 'latin1');
  const heard = new Heard();
  const scanner = new ReplyScanner(heard, detail);
  const buffer = Buffer.alloc(bytes.length + 32, 'x');
  let start = 0;
  for (const end of [...cuts, bytes.length]) {
    buffer.fill('x');
    const offset = start % 7;
    bytes.copy(buffer, offset, start, end);
    scanner.scan(buffer, offset, offset + end - start);
    start = end;
  }
  assert.equal(scanner.isMidway, false);
  return heard;
}

function scan(text: string, cuts: readonly number[] = [], bodies = true): string[] {
  return hear(text, cuts, { items: false, bodies }).lines;
}

const REPLIES: readonly { readonly what: string; readonly wire: string; readonly heard: string }[] = [
  { what: 'OK', wire: '+OK\r\n', heard: '+ 0 (5)' },
  { what: 'a longer simple string', wire: '+QUEUED for later\r\n', heard: '+ 0 (19)' },
  { what: 'an empty simple string', wire: '+\r\n', heard: '+ 0 (3)' },
  { what: 'a one-digit integer', wire: ':7\r\n', heard: ': 7 (4)' },
  { what: 'zero', wire: ':0\r\n', heard: ': 0 (4)' },
  { what: 'a long integer', wire: ':1234567\r\n', heard: ': 1234567 (10)' },
  { what: 'a negative integer', wire: ':-2\r\n', heard: ': -2 (5)' },
  { what: 'a bulk string', wire: '$5\r\nhello\r\n', heard: '$ 5 (11) "hello"' },
  { what: 'an empty bulk string', wire: '$0\r\n\r\n', heard: '$ 0 (6) ""' },
  { what: 'a bulk string of line ends', wire: '$4\r\n\r\n\r\n\r\n', heard: '$ 4 (10) "\\r\\n\\r\\n"' },
  { what: 'a bulk string like a reply', wire: '$6\r\n-ERR\r\n\r\n', heard: '$ 6 (12) "-ERR\\r\\n"' },
  { what: 'nil', wire: '$-1\r\n', heard: '$ -1 (5)' },
  { what: 'a nil array', wire: '*-1\r\n', heard: '* -1 (5)' },
  { what: 'an empty array', wire: '*0\r\n', heard: '* 0 (4)' },
  { what: 'an array', wire: '*2\r\n$1\r\na\r\n:5\r\n', heard: '* 2 (15)' },
  {
    what: 'arrays in arrays, with nils and errors',
    wire: '*3\r\n*2\r\n:1\r\n*0\r\n$-1\r\n*1\r\n-ERR no\r\n',
    heard: '* 3 (34)',
  },
  { what: 'an array that ends with a bulk string', wire: '*1\r\n$3\r\nabc\r\n', heard: '* 1 (13)' },
  { what: 'an error', wire: '-ERR unknown command\r\n', heard: '- ERR (22)' },
  { what: 'an error of one word', wire: '-WRONGTYPE\r\n', heard: '- WRONGTYPE (12)' },
  {
    what: 'an error with a very long word',
    wire: `-${'A'.repeat(60)} x\r\n`,
    heard: `- ${'A'.repeat(40)} (65)`,
  },
  { what: 'a null of RESP3', wire: '_\r\n', heard: '_ -1 (3)' },
  { what: 'true', wire: '#t\r\n', heard: '# 1 (4)' },
  { what: 'false', wire: '#f\r\n', heard: '# 0 (4)' },
  { what: 'a double', wire: ',-1.5e3\r\n', heard: ', 0 (9)' },
  { what: 'a big number', wire: '(-349999999999999999999\r\n', heard: '( 0 (25)' },
  { what: 'a verbatim string', wire: '=7\r\ntxt:a\r\n\r\n', heard: '= 7 (13)' },
  { what: 'an error of any bytes', wire: '!10\r\nLOADING\r\nx\r\n', heard: '- LOADING (17)' },
  { what: 'a map', wire: '%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n', heard: '% 2 (20)' },
  { what: 'a set', wire: '~3\r\n:1\r\n#t\r\n_\r\n', heard: '~ 3 (15)' },
  { what: 'what was pushed before a reply', wire: '>2\r\n+message\r\n$2\r\nhi\r\n:1\r\n', heard: ': 1 (26)' },
  { what: 'an empty push', wire: '>0\r\n$1\r\na\r\n', heard: '$ 1 (11) "a"' },
  { what: 'an attribute', wire: '|1\r\n+ttl\r\n*2\r\n:1\r\n:2\r\n$2\r\nab\r\n', heard: '$ 2 (30) "ab"' },
  { what: 'an attribute inside an array', wire: '*2\r\n:1\r\n|1\r\n+a\r\n-b c\r\n:2\r\n', heard: '* 2 (26)' },
];

const ALL = REPLIES.map(({ wire }) => wire).join('');
const ALL_HEARD = REPLIES.map(({ heard }) => heard);

describe('the scanner of replies', () => {
  for (const { what, wire, heard } of REPLIES)
    test(`reads ${what}, whole and cut at every byte`, () => {
      assert.deepEqual(scan(wire), [heard]);
      for (let cut = 0; cut <= wire.length; cut++)
        assert.deepEqual(scan(wire, [cut]), [heard], `cut at ${cut}`);
    });

  test('reads many replies in one read, and cut anywhere', () => {
    assert.deepEqual(scan(ALL), ALL_HEARD);
    for (let cut = 0; cut <= ALL.length; cut++)
      assert.deepEqual(scan(ALL, [cut]), ALL_HEARD, `cut at ${cut}`);
  });

  test('reads them byte by byte', () => {
    assert.deepEqual(
      scan(
        ALL,
        Array.from({ length: ALL.length }, (_, index) => index),
      ),
      ALL_HEARD,
    );
  });

  test('reads any replies in any pieces, with and without their contents', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: REPLIES.length - 1 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (chosen, places, wantsBodies) => {
          const some = chosen.map((index) => REPLIES[index] as (typeof REPLIES)[number]);
          const wire = some.map((one) => one.wire).join('');
          const cuts = places.map((place) => place % (wire.length + 1)).sort((a, b) => a - b);
          const heard = some.map((one) => (wantsBodies ? one.heard : one.heard.replace(/ ".*"$/, '')));
          assert.deepEqual(scan(wire, cuts, wantsBodies), heard);
        },
      ),
    );
  });

  test('tells each item with its depth, its type and its bytes, cut at every byte', () => {
    const wire =
      '*4\r\n$3\r\nabc\r\n-WRONGTYPE no\r\n%1\r\n$1\r\nk\r\n$-1\r\n!3\r\nX y\r\n|1\r\n+a\r\n$1\r\nz\r\n$2\r\nhi\r\n';
    const expected = [
      ...['*4', '.$3', '"abc"', '.-0', 'WRONGTYPE', '.%1', '..$1', '"k"', '..$-1', '.!3', 'X'],
      ...['$2', '"hi"'],
    ];
    for (let cut = 0; cut <= wire.length; cut++) {
      const heard = hear(wire, [cut], { items: true, bodies: true });
      assert.deepEqual(heard.items, expected, `cut at ${cut}`);
      assert.equal(heard.lines.length, 2);
    }
  });

  test('skips a bulk string larger than any read', () => {
    const wire = `$300000\r\n${'v'.repeat(300_000)}\r\n:1\r\n`;
    const cuts = [5, 65_536, 131_072, 300_008];
    assert.deepEqual(scan(wire, cuts, false), ['$ 300000 (300011)', ': 1 (4)']);
  });

  for (const [what, wire] of [
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n'],
    ['a null with something in it', '_1\r\n'],
    ['a push inside an array', '*1\r\n>1\r\n:1\r\n'],
    ['arrays in each other without end', '*1\r\n'.repeat(200)],
    ['a length that is none', '$five\r\n'],
    ['a length beyond reason', '$12345678901234567\r\n'],
    ['a byte too many after a value', '$1\r\na\r\nb'],
  ] as const)
    test(`refuses ${what}`, () => {
      assert.throws(() => scan(wire), ReplyInvalid);
    });

  test('says what it saw', () => {
    assert.throws(
      () => scan('HTTP/1.1 400 Bad Request\r\nServer: x\r\n'),
      /^ReplyInvalid|HTTP\/1.1 400 Bad Request/,
    );
  });

  test('starts afresh after reset, in the middle of a reply', () => {
    const heard = new Heard();
    const scanner = new ReplyScanner(heard, { items: false, bodies: false });
    scanner.scan(Buffer.from('*2\r\n$100\r\nabc'), 0, 13);
    assert.equal(scanner.isMidway, true);
    scanner.reset();
    scanner.scan(Buffer.from(':4\r\n'), 0, 4);
    assert.deepEqual(heard.lines, [': 4 (4)']);
  });
});
