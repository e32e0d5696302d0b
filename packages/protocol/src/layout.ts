/**
 * Bucket arithmetic of an HdrHistogram with lowest value 1 ns, highest 1 h and 3 significant digits, as plain
 * functions. Index and value agree with the HdrHistogram implementations, so that encodings interchange.
 *
 * A value v has 11 significant bits kept: bucket = position of the highest bit above 2^11, sub-bucket = the top
 * 11 bits. Values below 2048 are exact; above, the relative error is below 1/1024.
 */
import { LIMITS } from './limits.js';

const SUB_BUCKETS = 2048;
const SUB_BUCKET_BITS = 11;
const HALF = 1024;
const POWERS = Float64Array.from({ length: 53 }, (_, exponent) => 2 ** exponent);

export const HIGHEST_NS = LIMITS.latencyNs;
export const SIGNIFICANT_DIGITS = 3;

/** Index of the bucket that holds `valueNs`, an integer in 0..HIGHEST_NS. */
export function bucketIndex(valueNs: number): number {
  if (valueNs < SUB_BUCKETS) return valueNs;
  if (valueNs < 0x100000000) {
    const shift = 32 - SUB_BUCKET_BITS - Math.clz32(valueNs);
    return shift * HALF + (valueNs >>> shift);
  }
  // Shifts cut values past 2^32; division by a power of two is exact. From a table, since `**` costs ten times the rest.
  const shift = 64 - SUB_BUCKET_BITS - Math.clz32(Math.floor(valueNs / 0x100000000));
  return shift * HALF + Math.floor(valueNs / (POWERS[shift] as number));
}

/** Smallest value that falls into the bucket. */
export function bucketLowestNs(index: number): number {
  if (index < SUB_BUCKETS) return index;
  const shift = Math.floor(index / HALF) - 1;
  return (index - shift * HALF) * 2 ** shift;
}

/** Largest value that falls into the bucket: what a percentile reports, as HdrHistogram does. */
export function bucketHighestNs(index: number): number {
  if (index < SUB_BUCKETS) return index;
  const shift = Math.floor(index / HALF) - 1;
  return (index - shift * HALF + 1) * 2 ** shift - 1;
}

/** Number of buckets, as HdrHistogram's counts array has (it rounds up to a whole bucket). */
export const BUCKETS = 33 * HALF;
