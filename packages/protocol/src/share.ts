/**
 * Exact splitting of whole amounts. All arguments are integers in 0..2^53-1; the results are exact.
 *
 *   share(total, parts, i) = floor(total / parts) + (i < total mod parts ? 1 : 0)
 *
 * so the shares differ by at most one and sum to the total.
 */
export function share(total: number, parts: number, index: number): number {
  checkSplit(total, parts, index);
  const rest = total % parts;
  return (total - rest) / parts + (index < rest ? 1 : 0);
}

/** Where the share of `index` begins: the shares lie side by side and cover 0..total-1. */
export function shareStart(total: number, parts: number, index: number): number {
  checkSplit(total, parts, index);
  const rest = total % parts;
  return ((total - rest) / parts) * index + Math.min(index, rest);
}

/** A run of whole numbers `start .. start + length - 1`. */
export interface Slice {
  readonly start: number;
  readonly length: number;
}

/** The part of `whole` that belongs to `index` of `parts`: disjoint over all indexes, together the whole. */
export function slice(whole: Slice, parts: number, index: number): Slice {
  return {
    start: whole.start + shareStart(whole.length, parts, index),
    length: share(whole.length, parts, index),
  };
}

function checkSplit(total: number, parts: number, index: number): void {
  if (!Number.isSafeInteger(total) || total < 0) throw new RangeError(`total ${total} is not in 0..2^53-1`);
  if (!Number.isSafeInteger(parts) || parts < 1) throw new RangeError(`parts ${parts} is not in 1..2^53-1`);
  if (!Number.isSafeInteger(index) || index < 0 || index >= parts)
    throw new RangeError(`index ${index} is not in 0..${parts - 1}`);
}
