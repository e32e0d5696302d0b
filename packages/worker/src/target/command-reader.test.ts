import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CommandInvalid, CommandReader } from './command-reader.js';

/** The commands in `pieces`, each as its words. */
function read(pieces: readonly string[]): string[][] {
  return readWithPauses(pieces, () => false);
}

/** The same by a handler that pauses after some commands; it goes on before the next piece comes, or after it. */
function readWithPauses(pieces: readonly string[], pausesAfter: (command: number) => boolean): string[][] {
  const commands: string[][] = [];
  const state = { isPaused: false };
  const reader = new CommandReader((bytes, bounds, argumentCount) => {
    const words: string[] = [];
    for (let index = 0; index < argumentCount; index++)
      words.push(bytes.toString('latin1', bounds[2 * index], bounds[2 * index + 1]));
    commands.push(words);
    state.isPaused = pausesAfter(commands.length);
    if (state.isPaused) reader.pause();
  });
  const goOn = () => {
    while (state.isPaused) {
      state.isPaused = false;
      reader.resume();
    }
  };
  for (const [index, piece] of pieces.entries()) {
    const before = commands.length;
    const wasPaused = state.isPaused;
    reader.feed(Buffer.from(piece, 'latin1'));
    if (wasPaused) assert.equal(commands.length, before);
    if (index % 2 === 0) goOn();
  }
  goOn();
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

  test('keeps what comes after a command that pauses it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.nat({ max: 3 }),
        (commands, places, every) => {
          const all = commands
            .map((words) => wire(words.map((word) => word.replace(/[^ -~]/g, '?'))))
            .join('');
          const cuts = places.map((place) => place % (all.length + 1)).sort((a, b) => a - b);
          const pieces = [...cuts, all.length].map((end, index) => all.slice(cuts[index - 1] ?? 0, end));
          assert.deepEqual(
            readWithPauses(pieces, (command) => command % (every + 1) === every),
            read([all]),
          );
        },
      ),
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
