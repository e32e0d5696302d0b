import type { CommandForm } from '../wire/command-shape.js';
import type { KeyCommand } from './key-command.js';

const LINE_END = Buffer.from('\r\n');

/** A command on one key as an array of bulk strings. */
export function keyForm({ name, hasValue, after }: KeyCommand): CommandForm {
  const words = 2 + (hasValue ? 1 : 0) + after.length;
  return {
    beforeKey: (keyBytes) => Buffer.from(`*${words}\r\n$${name.length}\r\n${name}\r\n$${keyBytes}\r\n`),
    value: hasValue ? { beforeLength: Buffer.from('\r\n$'), afterLength: LINE_END } : null,
    end: Buffer.concat([LINE_END, ...after.flatMap(bulkString)]),
  };
}

function bulkString(word: Uint8Array): Uint8Array[] {
  return [Buffer.from(`$${word.length}\r\n`), word, LINE_END];
}
