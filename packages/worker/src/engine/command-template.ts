import { type CommandPart, type CommandText, PLACEHOLDERS, type Placeholder } from '@pacecar/protocol';

/** Bytes that each placeholder of a workload takes; null: not always the same. */
export interface PlaceholderWidths {
  readonly key: number | null;
  readonly data: number | null;
  readonly field: number | null;
}

/** One occurrence of a placeholder in a command. */
export interface Slot {
  readonly placeholder: Placeholder;
  /** Which occurrence of this placeholder it is, from 0. */
  readonly occurrence: number;
}

/** Where an occurrence stands, in bytes from the beginning. */
export interface Patch extends Slot {
  readonly offset: number;
  readonly width: number;
}

/** What takes the places of placeholders whose width differs from command to command. */
export interface SlotFiller {
  /** How many bytes the next command has in this slot. Asked before `fill`, and once for each command. */
  widthOf(slot: Slot): number;
  /** Writes exactly `width` bytes. */
  fill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void;
}

/** Bytes that are the same in each command but for the patches. */
interface FixedPiece {
  readonly kind: 'fixed';
  readonly bytes: Uint8Array;
  readonly patches: readonly Patch[];
}

/** A word whose length is not always the same. */
interface VaryingPiece {
  readonly kind: 'varying';
  readonly parts: readonly (Uint8Array | (Slot & { readonly width: number | null }))[];
}

/**
 * A command as a RESP array. If every slot has one width it is one buffer, in which only the patches are written anew;
 * else it is such buffers with words between them that are composed each time.
 */
export class CommandTemplate {
  /** In capitals. */
  readonly name: string;
  /** In the order of the command. */
  readonly slots: readonly Slot[];
  /** The whole command, zeros in its slots; null if widths differ. Not to be written to: send buffers hold copies. */
  readonly fixed: { readonly bytes: Uint8Array; readonly patches: readonly Patch[] } | null;
  readonly #pieces: readonly (FixedPiece | VaryingPiece)[];
  /** Of the varying pieces of the command at hand, in order: the widths that were asked for. */
  readonly #widths: number[] = [];

  constructor(text: CommandText, widths: PlaceholderWidths) {
    this.name = text.name;
    const { pieces, slots } = new TemplateBuilder(text, widths);
    this.#pieces = pieces;
    this.slots = slots;
    const [only] = pieces;
    this.fixed = pieces.length === 1 && only?.kind === 'fixed' ? only : null;
  }

  /** Asks for the widths of the next command and returns its length in bytes. `compose` must follow. */
  measure(filler: SlotFiller): number {
    const widths = this.#widths;
    let asked = 0;
    let length = 0;
    for (const piece of this.#pieces) {
      if (piece.kind === 'fixed') {
        length += piece.bytes.length;
        continue;
      }
      let word = 0;
      for (const part of piece.parts) {
        if (part instanceof Uint8Array) {
          word += part.length;
        } else {
          const width = part.width ?? filler.widthOf(part);
          widths[asked++] = width;
          word += width;
        }
      }
      // $ length CR LF word CR LF
      widths[asked++] = word;
      length += 1 + digitsOf(word) + 2 + word + 2;
    }
    return length;
  }

  /** Writes the command that was measured from `at` on and returns where it ends. */
  compose(bytes: Uint8Array, at: number, filler: SlotFiller): number {
    const widths = this.#widths;
    let end = at;
    let taken = 0;
    for (const piece of this.#pieces) {
      if (piece.kind === 'fixed') {
        bytes.set(piece.bytes, end);
        for (const patch of piece.patches) filler.fill(patch, bytes, end + patch.offset, patch.width);
        end += piece.bytes.length;
        continue;
      }
      const slotsAt = taken;
      for (const part of piece.parts) if (!(part instanceof Uint8Array)) taken++;
      end = writeLengthLine(widths[taken++] as number, bytes, end);
      let slot = slotsAt;
      for (const part of piece.parts) {
        if (part instanceof Uint8Array) {
          bytes.set(part, end);
          end += part.length;
        } else {
          const width = widths[slot++] as number;
          filler.fill(part, bytes, end, width);
          end += width;
        }
      }
      bytes[end++] = CR;
      bytes[end++] = LF;
    }
    return end;
  }
}

const CR = 13;
const LF = 10;
const DOLLAR = 36;
const STAR = 42;
const ZERO = 48;
const LINE_END = Uint8Array.of(CR, LF);

/** Lays words side by side in one buffer for as long as their lengths are known. */
class TemplateBuilder {
  readonly pieces: (FixedPiece | VaryingPiece)[] = [];
  readonly slots: Slot[] = [];
  readonly #widths: PlaceholderWidths;
  readonly #occurrences = new Map<Placeholder, number>();
  #chunks: Uint8Array[] = [];
  #length = 0;
  #patches: Patch[] = [];

  constructor(text: CommandText, widths: PlaceholderWidths) {
    this.#widths = widths;
    this.#add(countLine(text.words.length));
    for (const word of text.words) this.#word(word);
    this.#endFixed();
  }

  #word(word: readonly CommandPart[]): void {
    const parts = word.map((part) => (part.kind === 'literal' ? part.bytes : this.#slot(part.placeholder)));
    let length: number | null = 0;
    for (const part of parts) {
      const width: number | null = part instanceof Uint8Array ? part.length : part.width;
      length = length === null || width === null ? null : length + width;
    }
    if (length === null) {
      this.#endFixed();
      this.pieces.push({ kind: 'varying', parts });
      return;
    }
    this.#add(lengthLine(length));
    for (const part of parts) {
      if (part instanceof Uint8Array) {
        this.#add(part);
      } else if (part.width !== null) {
        this.#patches.push({ ...part, width: part.width, offset: this.#length });
        this.#add(new Uint8Array(part.width).fill(ZERO));
      }
    }
    this.#add(LINE_END);
  }

  #slot(placeholder: Placeholder): Slot & { readonly width: number | null } {
    const occurrence = this.#occurrences.get(placeholder) ?? 0;
    this.#occurrences.set(placeholder, occurrence + 1);
    const slot = { placeholder, occurrence };
    this.slots.push(slot);
    return { ...slot, width: this.#widthOf(placeholder) };
  }

  #widthOf(placeholder: Placeholder): number | null {
    if (placeholder === 'key' || placeholder === 'data' || placeholder === 'field')
      return this.#widths[placeholder];
    return PLACEHOLDERS[placeholder].digits;
  }

  #add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  #endFixed(): void {
    if (this.#length === 0) return;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.pieces.push({ kind: 'fixed', bytes, patches: this.#patches });
    this.#chunks = [];
    this.#length = 0;
    this.#patches = [];
  }
}

function digitsOf(length: number): number {
  let digits = 1;
  for (let bound = 10; length >= bound; bound *= 10) digits++;
  return digits;
}

/** `*`, the number of words and CR LF. */
function countLine(words: number): Uint8Array {
  const line = lengthLine(words);
  line[0] = STAR;
  return line;
}

function lengthLine(length: number): Uint8Array {
  const line = new Uint8Array(digitsOf(length) + 3);
  writeLengthLine(length, line, 0);
  return line;
}

/** Writes `$`, the length and CR LF; lengths are below 2^31. */
function writeLengthLine(length: number, bytes: Uint8Array, at: number): number {
  const digits = digitsOf(length);
  bytes[at] = DOLLAR;
  let rest = length | 0;
  for (let place = at + digits; place > at; place--) {
    const quotient = (rest / 10) | 0;
    bytes[place] = ZERO + rest - quotient * 10;
    rest = quotient;
  }
  bytes[at + digits + 1] = CR;
  bytes[at + digits + 2] = LF;
  return at + digits + 3;
}
