import { type CommandText, PacecarError, PLACEHOLDERS, type Placeholder } from '@pacecar/protocol';
import type { PlaceholderWidths, Slot, SlotFiller } from '../../engine/command-template.js';

const SPACE = 32;
const LINE_END = Buffer.from('\r\n');
/** What may stand in a line as it is: no blanks, quotes or signs that mean something else there. */
const PLAIN = /^[!#-&(-[\]-~]+$/;

type Part = Uint8Array | (Slot & { readonly width: number | null });

/** A command as one line of text, words between blanks. */
export class InlineTemplate {
  readonly name: string;
  readonly slots: readonly Slot[];
  /** Made anew each time: lines are short. */
  readonly fixed = null;
  readonly #parts: readonly Part[];

  /** Throws PacecarError REQUEST_INVALID for what a line cannot hold. */
  constructor(text: CommandText, widths: PlaceholderWidths) {
    this.name = text.name;
    const parts: Part[] = [];
    const occurrences = new Map<Placeholder, number>();
    text.words.forEach((word, index) => {
      if (index > 0) parts.push(Buffer.of(SPACE));
      if (word.length === 0) throw unspeakable(text, 'an empty word');
      for (const part of word) {
        if (part.kind === 'literal') {
          const bytes = Buffer.from(part.bytes);
          if (!PLAIN.test(bytes.toString('latin1')))
            throw unspeakable(text, JSON.stringify(bytes.toString('utf8')));
          parts.push(bytes);
          continue;
        }
        const { placeholder } = part;
        const occurrence = occurrences.get(placeholder) ?? 0;
        occurrences.set(placeholder, occurrence + 1);
        parts.push({ placeholder, occurrence, width: widthOf(placeholder, widths) });
      }
    });
    parts.push(LINE_END);
    this.#parts = parts;
    this.slots = parts.filter((part): part is Exclude<Part, Uint8Array> => !(part instanceof Uint8Array));
  }

  measure(filler: SlotFiller): number {
    let length = 0;
    for (const part of this.#parts)
      length += part instanceof Uint8Array ? part.length : (part.width ?? filler.widthOf(part));
    return length;
  }

  compose(bytes: Uint8Array, at: number, filler: SlotFiller): number {
    let end = at;
    for (const part of this.#parts) {
      if (part instanceof Uint8Array) {
        bytes.set(part, end);
        end += part.length;
      } else {
        const width = part.width ?? filler.widthOf(part);
        filler.fill(part, bytes, end, width);
        end += width;
      }
    }
    return end;
  }
}

function widthOf(placeholder: Placeholder, widths: PlaceholderWidths): number | null {
  if (placeholder === 'key' || placeholder === 'data' || placeholder === 'field') return widths[placeholder];
  return PLACEHOLDERS[placeholder].digits;
}

function unspeakable({ name }: CommandText, what: string): PacecarError {
  return new PacecarError(
    'REQUEST_INVALID',
    `the inline command ${name} cannot hold ${what}: a line has words of printable characters without blanks and quotes; send it as an array (without inline)`,
  );
}
