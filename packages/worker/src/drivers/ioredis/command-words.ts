import { type CommandPart, PLACEHOLDERS, type Placeholder, type Workload } from '@pacecar/protocol';
import type { Slot } from '../../engine/command-template.js';
import type { Operands } from '../../engine/operands.js';
import { CommandFiller, commandRole, type Occurrences } from '../resp/command-filler.js';
import type { OwnCommand } from '../resp/own-command.js';
import type { Value } from '../client-task.js';

/** Pieces of a word that is not always the same: bytes, and slots that are filled for each command. */
type Pieces = readonly (Uint8Array | Slot)[];

/** A command that the scenario wrote, as the words that a library takes: text, or bytes that are no text. */
export class CommandWords {
  readonly name: string;
  readonly #words: readonly (Value | Pieces)[];
  readonly #filler: CommandFiller;
  readonly #isBinary: boolean;

  /** `seen` counts the placeholders of all commands of the action; `pinned`: one key in all places. */
  constructor(
    { text }: OwnCommand,
    workload: Workload,
    { seen, pinned }: { readonly seen: Occurrences; readonly pinned: boolean },
  ) {
    this.#isBinary = workload.values.content.kind !== 'printable';
    const slots: Slot[] = [];
    const [name = [], ...rest] = text.words;
    this.name = String(plainWord(name));
    this.#words = rest.map((word) => {
      if (word.every((part) => part.kind === 'literal')) return plainWord(word);
      return word.map((part) => (part.kind === 'literal' ? part.bytes : slotOf(part.placeholder, slots)));
    });
    this.#filler = new CommandFiller(workload, commandRole(slots, seen, { pinned }));
  }

  /** The words behind the name, for this operation. */
  of(operands: Operands): Value[] {
    this.#filler.operands = operands;
    return this.#words.map((word) => (isPlain(word) ? word : this.#fill(word)));
  }

  #fill(pieces: Pieces): Value {
    let isText = true;
    const parts = pieces.map((piece) => {
      if (piece instanceof Uint8Array) return piece;
      if (piece.placeholder === 'data' && this.#isBinary) isText = false;
      const width = PLACEHOLDERS[piece.placeholder].digits ?? this.#filler.widthOf(piece);
      const bytes = Buffer.alloc(width);
      this.#filler.fill(piece, bytes, 0, width);
      return bytes;
    });
    const whole = Buffer.concat(parts);
    return isText ? textOr(whole) : whole;
  }
}

function isPlain(word: Value | Pieces): word is Value {
  return typeof word === 'string' || word instanceof Buffer;
}

function plainWord(word: readonly CommandPart[]): Value {
  return textOr(Buffer.concat(word.flatMap((part) => (part.kind === 'literal' ? [part.bytes] : []))));
}

/** Text if that says the same bytes. */
function textOr(bytes: Buffer): Value {
  const text = bytes.toString('utf8');
  return Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes) ? text : bytes;
}

/** Occurrences of a placeholder count from 0. */
function slotOf(placeholder: Placeholder, slots: Slot[]): Slot {
  const slot = { placeholder, occurrence: slots.filter((each) => each.placeholder === placeholder).length };
  slots.push(slot);
  return slot;
}
