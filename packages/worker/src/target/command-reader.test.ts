import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CommandInvalid, CommandReader } from './command-reader.js';

/** The commands in `pieces`, each as its words. */
function read(pieces: readonly string[]): string[][] {
  const commands: string[][] = [];
  const reader = new CommandReader((bytes, bounds, argumentCount) => {
    const words: string[] = [];
    for (let index = 0; index < argumentCount; index++)
      words.push(bytes.toString('latin1', bounds[2 * index], bounds[2 * index + 1]));
    commands.push(words);
  });
  for (const piece of pieces) reader.feed(Buffer.from(piece, 'latin1'));
  return commands;
}

function wire(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

describe('the reader of commands', () => {
  test('reads pipelined commands, arrays and inline', () => {
    assert.deepEqual(
      read([`${wire(['SET', 'a', 'b\r\n'])}PING\r\n  get   a \r\n\r\n${wire(['DEL', ''])}quit\n`]),
      [['SET', 'a', 'b\r\n'], ['PING'], ['get', 'a'], ['DEL', ''], ['quit']],
    );
  });

  test('reads any commands in any pieces', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '$', '*', '\r', '\n', '5'), maxLength: 12 });
    const command = fc.array(word, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(command, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        (commands, places) => {
          const all = commands.map(wire).join('');
          const cuts = places.map((place) => place % (all.length + 1)).sort((a, b) => a - b);
          const pieces = [0, ...cuts].map((cut, index) => all.slice(cut, cuts[index] ?? all.length));
          assert.deepEqual(read(pieces), commands);
        },
      ),
    );
  });

  test('reads a value of a megabyte in small pieces', () => {
    const all = wire(['SET', 'k', 'v'.repeat(1_000_000)]);
    const pieces: string[] = [];
    for (let at = 0; at < all.length; at += 10_000) pieces.push(all.slice(at, at + 10_000));
    assert.equal(read(pieces)[0]?.[2]?.length, 1_000_000);
  });

  for (const [what, bytes, message] of [
    ['something else than a bulk string in an array', '*1\r\n:1\r\n', /expected '\$', got ':'/],
    ['a value larger than Redis takes', '*1\r\n$536870913\r\n', /invalid bulk length/],
    ['a negative length', '*1\r\n$-5\r\n', /invalid bulk length/],
    ['a million and more arguments', '*1048577\r\n', /invalid multibulk length/],
    ['a number that is none', '*x\r\n', /invalid length/],
    ['an endless line', 'a'.repeat(65_537), /too big inline request/],
  ] as const)
    test(`refuses ${what}`, () => {
      assert.throws(
        () => read([bytes]),
        (error: unknown) => error instanceof CommandInvalid && message.test(error.message),
      );
    });
});
