import type { Values, Workload } from '@pacecar/protocol';
import { RandomStream, seedOf } from './random.js';
import { fillContents } from './value/contents.js';
import { createSizes } from './value/size-distribution.js';

/**
 * The text repeats after this many bytes; longer values go round it. A power of two, and past what a compressor looks
 * back by default: 32 KiB (deflate), 64 KiB (LZ4, Snappy), 8 MiB (zstd).
 */
export const TEXT_BYTES = 16 * 1024 * 1024;
/** It is only made as far as values reach, but this far at once: most values are shorter. */
const FIRST_BYTES = 64 * 1024;

/**
 * The one pseudo-random text of which all values of a content are made. Fixed for all runs, so that data of one run can
 * be checked by another; made once on each thread, its beginning first and more of it when a value is longer.
 */
export class SharedText {
  readonly #content: Values['content'];
  #bytes: Uint8Array;

  constructor(content: Values['content']) {
    this.#content = content;
    this.#bytes = this.#made(FIRST_BYTES);
  }

  /** Its beginning: at least `length` bytes, or TEXT_BYTES. */
  upTo(length: number): Uint8Array {
    if (length > this.#bytes.length && this.#bytes.length < TEXT_BYTES) {
      let bytes = this.#bytes.length;
      while (bytes < length && bytes < TEXT_BYTES) bytes *= 2;
      this.#bytes = this.#made(bytes);
    }
    return this.#bytes;
  }

  /** From the start each time: a longer text begins as a shorter one. */
  #made(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    fillContents(this.#content, bytes, new RandomStream(seedOf(0x70616365)));
    return bytes;
  }
}

const texts = new Map<string, SharedText>();

export function sharedText(content: Values['content']): SharedText {
  const name = content.kind === 'compressible' ? `compressible ${content.ratio}` : content.kind;
  let text = texts.get(name);
  if (text === undefined) {
    text = new SharedText(content);
    texts.set(name, text);
  }
  return text;
}

/** The text of a workload, made as far as its values and fields reach, so that none has to wait for it. */
export function textOf({ values, records }: Pick<Workload, 'values' | 'records'>): SharedText {
  const text = sharedText(values.content);
  text.upTo(largestValue(values));
  if (records !== null) text.upTo(createSizes(records.fieldSize).maximumBytes);
  return text;
}

/** The largest value that the workload writes, bytes. */
export function largestValue({ size }: Pick<Values, 'size'>): number {
  return createSizes(size).maximumBytes;
}

/** The shared text of printable values. */
export const SHARED_TEXT: SharedText = sharedText({ kind: 'printable' });
