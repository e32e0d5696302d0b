import { LIMITS } from '@pacecar/protocol';
import type { CountRange } from './count.js';
import { leadingNumber, shown, wholeProduct } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const SIZE_FORM =
  '100, 10KiB, 10kB or 100..10000 (kB = 1000 bytes, KiB = 1024; also MB, MiB, GB, GiB)';

const FACTORS: Readonly<Record<string, bigint>> = {
  '': 1n,
  B: 1n,
  kB: 1_000n,
  MB: 1_000_000n,
  GB: 1_000_000_000n,
  KiB: 1_024n,
  MiB: 1_048_576n,
  GiB: 1_073_741_824n,
};

export interface SizeRange {
  readonly minimumBytes: number;
  readonly maximumBytes: number;
}

/** One size, bytes, from 0 to the largest value unless told otherwise. */
export function readBytes(
  text: string,
  { minimum = 0, maximum = LIMITS.valueBytes }: CountRange = {},
): Reading<number> {
  const pasted = refusePasted(text, 'a size', SIZE_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  if (/^-\s*\d/.test(trimmed)) return bad(`${shown(text)} is negative; a size is 0 or more bytes`);
  const leading = leadingNumber(trimmed);
  const factor = leading === null ? undefined : FACTORS[leading.rest.trim()];
  if (leading === null || factor === undefined) return refuse(text, 'a size', SIZE_FORM, hintFor(trimmed));
  const bytes = wholeProduct(leading.number, factor);
  if (bytes === null) return bad(`${shown(text)} is not a whole number of bytes`);
  if (bytes > BigInt(maximum) || bytes < BigInt(minimum))
    return bad(`${shown(text)} is out of range; allowed: ${minimum} to ${writeBytes(maximum)}`);
  return good(Number(bytes));
}

/** A size or a range of sizes, both ends inclusive, bytes: `100`, `100..10000`, `1KiB..10KiB`. */
export function readSize(text: string): Reading<SizeRange> {
  const pasted = refusePasted(text, 'a size', SIZE_FORM);
  if (pasted !== null) return pasted;
  const ends = text.split('..');
  if (ends.length > 2) return refuse(text, 'a size', SIZE_FORM, 'a range has two ends');
  const dash = /^\s*([\d_.]+\s*[A-Za-z]*)\s*-\s*([\d_.]+\s*[A-Za-z]*)\s*$/.exec(text);
  if (dash !== null) return refuse(text, 'a size', SIZE_FORM, `a range is written ${dash[1]}..${dash[2]}`);
  const [first = '', second] = ends;
  if (second !== undefined && (first.trim() === '' || second.trim() === ''))
    return refuse(text, 'a size', SIZE_FORM, 'a range needs both ends');
  const minimum = readBytes(first);
  if (!minimum.ok) return minimum;
  if (second === undefined) return good({ minimumBytes: minimum.value, maximumBytes: minimum.value });
  const maximum = readBytes(second);
  if (!maximum.ok) return maximum;
  if (maximum.value < minimum.value)
    return bad(`${shown(text)} is reversed; write the smaller end first: ${second.trim()}..${first.trim()}`);
  return good({ minimumBytes: minimum.value, maximumBytes: maximum.value });
}

function hintFor(text: string): string | undefined {
  const word = /[A-Za-z]+$/.exec(text)?.[0];
  if (word === undefined)
    return /^\d{1,3}(,\d{3})+$/.test(text) ? `write ${text.replaceAll(',', '_')}` : undefined;
  if (/^k$/i.test(word) || word === 'KB' || word === 'kb')
    return `${shown(word)} is ambiguous; kB is 1000 bytes, KiB is 1024`;
  if (/^kib$/i.test(word)) return 'write KiB';
  if (/^[mg]$/i.test(word) || /^[mg]b$/i.test(word) || /^[mg]ib$/i.test(word)) {
    const letter = word.charAt(0).toUpperCase();
    return `${letter}B counts in thousands, ${letter}iB in 1024s`;
  }
  return `the unit ${shown(word)} is unknown`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [1_073_741_824, 'GiB'],
  [1_000_000_000, 'GB'],
  [1_048_576, 'MiB'],
  [1_000_000, 'MB'],
  [1_024, 'KiB'],
  [1_000, 'kB'],
];

/** A text that reads back as the same number of bytes. */
export function writeBytes(bytes: number): string {
  for (const [unit, name] of UNITS) if (bytes >= unit && bytes % unit === 0) return `${bytes / unit}${name}`;
  return `${bytes}B`;
}

/** As `writeBytes`, for a range. */
export function writeSize(size: SizeRange): string {
  return size.minimumBytes === size.maximumBytes
    ? writeBytes(size.minimumBytes)
    : `${writeBytes(size.minimumBytes)}..${writeBytes(size.maximumBytes)}`;
}
