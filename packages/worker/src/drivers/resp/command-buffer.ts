import type { CommandTemplate, Slot, SlotFiller } from '../../engine/command-template.js';
import type { InlineTemplate } from './inline-template.js';
import type { Operands } from '../../engine/operands.js';
import type { OutBuffer } from '../wire/outbox.js';

/** Fills slots, of a whole new command or of one that stood at the same place before. */
export interface Filler extends SlotFiller {
  operands: Operands | null;
  refill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void;
}

/** One command of an action. */
export class Command {
  readonly template: CommandTemplate | InlineTemplate;
  readonly filler: Filler;
  /** As it was said first, of a template of one length: of all others only what differs is written. null: not yet. */
  said: Uint8Array | null = null;

  constructor(template: CommandTemplate | InlineTemplate, filler: Filler) {
    this.template = template;
    this.filler = filler;
  }
}

const FIRST_BYTES = 1024;

/**
 * The commands of one write, of any length. The buffer is used again and again and remembers which template it holds
 * where: of a command that stands there already only what differs is written.
 */
export class CommandBuffer implements OutBuffer {
  length = 0;
  #bytes = Buffer.alloc(FIRST_BYTES);
  /** Template and place of the n-th command, as they were last written; good for the first `#valid` of them. */
  readonly #templates: (Command['template'] | null)[] = [];
  readonly #places: number[] = [];
  #valid = 0;
  #count = 0;
  #view: Buffer = this.#bytes;

  clear(): void {
    this.length = 0;
    this.#count = 0;
  }

  from(start: number): Buffer {
    if (start === 0 && this.#view.length === this.length && this.#view.buffer === this.#bytes.buffer)
      return this.#view;
    const made = this.#bytes.subarray(start, this.length);
    if (start === 0) this.#view = made;
    return made;
  }

  /** Adds the command for these operands and returns its length. */
  add(command: Command, operands: Operands): number {
    const { template, filler } = command;
    filler.operands = operands;
    const at = this.length;
    const { fixed } = template;
    if (fixed === null) {
      this.#reserve(template.measure(filler));
      this.#overwrite();
      this.length = template.compose(this.#bytes, at, filler);
      return this.length - at;
    }
    this.#reserve(fixed.bytes.length);
    const bytes = this.#bytes;
    const index = this.#count;
    const { said } = command;
    if (index < this.#valid && this.#templates[index] === template && this.#places[index] === at) {
      this.#count++;
    } else {
      this.#overwrite();
      this.#templates[index] = template;
      bytes.set(said ?? fixed.bytes, at);
    }
    if (said === null) {
      for (const patch of fixed.patches) filler.fill(patch, bytes, at + patch.offset, patch.width);
      command.said = new Uint8Array(bytes.subarray(at, at + fixed.bytes.length));
    } else {
      for (const patch of fixed.patches) filler.refill(patch, bytes, at + patch.offset, patch.width);
    }
    this.length = at + fixed.bytes.length;
    return fixed.bytes.length;
  }

  /** Adds bytes as they are. */
  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#overwrite();
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Something new is written from here on, over the commands that stood here and behind. */
  #overwrite(): void {
    const index = this.#count++;
    this.#templates[index] = null;
    this.#places[index] = this.length;
    this.#valid = index + 1;
  }

  #reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}
