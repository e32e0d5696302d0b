/**
 * The one file that touches hdr-histogram-js: HdrHistogram V2 logs for other tools. Its traps stay in here:
 * 64-bit buckets (its default of 32 wraps silently), whole nanoseconds only (it cuts fractions), nothing above the
 * range (it throws), and exact min, max and sum are carried elsewhere, since its decoder rounds them.
 */
import * as library from 'hdr-histogram-js';
import type { Distribution } from './distribution.js';
import { HIGHEST_NS, SIGNIFICANT_DIGITS } from './layout.js';

/** hdr-histogram-js' histogram with the same counts as `distribution`; asserts that none was lost. */
export function toHdrHistogram(distribution: Distribution): library.Histogram {
  const histogram = library.build({
    bitBucketSize: 64,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_NS,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
  });
  for (const bucket of distribution.buckets()) histogram.recordValueWithCount(bucket.lowestNs, bucket.count);
  if (histogram.totalCount !== distribution.count)
    throw new Error(`${histogram.totalCount} of ${distribution.count} values arrived in an HdrHistogram`);
  return histogram;
}

/** Compresses as zlib does (RFC 1950); `deflateSync` of node:zlib is one. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

const V2_COOKIE = 0x1c849313;
const V2_COMPRESSED_COOKIE = 0x1c849314;
const V2_HEAD_BYTES = 40;

/**
 * Base64 of the compressed V2 encoding: the last column of a histogram log. Our counts are V2 counts already, so
 * with a `deflate` of the platform only a head is put before them: 6 times cheaper than by way of the library, and
 * with the head that other implementations write (the library's has a normalising offset of 1, by which they shift
 * every bucket, and a whole number where they read a double).
 */
export function encodeHdrBase64(distribution: Distribution, deflate?: Deflate): string {
  if (deflate === undefined) return library.encodeIntoCompressedBase64(toHdrHistogram(distribution));
  const counts = distribution.encodeCounts();
  const plain = new Uint8Array(V2_HEAD_BYTES + counts.length);
  const head = new DataView(plain.buffer);
  head.setInt32(0, V2_COOKIE);
  head.setInt32(4, counts.length);
  // Bytes 8..11: no normalising offset.
  head.setInt32(12, SIGNIFICANT_DIGITS);
  head.setBigInt64(16, 1n);
  head.setBigInt64(24, BigInt(HIGHEST_NS));
  head.setFloat64(32, 1);
  plain.set(counts, V2_HEAD_BYTES);
  const body = deflate(plain);
  const whole = new Uint8Array(8 + body.length);
  const wholeHead = new DataView(whole.buffer);
  wholeHead.setInt32(0, V2_COMPRESSED_COOKIE);
  wholeHead.setInt32(4, body.length);
  whole.set(body, 8);
  let binary = '';
  for (const byte of whole) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** One interval line of an HdrHistogram log: tag, start and length in seconds, max in ms, histogram. */
export function hdrLogLine(entry: {
  tag: string;
  startSeconds: number;
  lengthSeconds: number;
  distribution: Distribution;
  deflate?: Deflate;
}): string {
  const tag = entry.tag.replace(/[,\s]/g, '_');
  const maximumMs = (entry.distribution.maximumNs ?? 0) / 1e6;
  return `Tag=${tag},${entry.startSeconds.toFixed(3)},${entry.lengthSeconds.toFixed(3)},${maximumMs.toFixed(3)},${encodeHdrBase64(entry.distribution, entry.deflate)}\n`;
}

/** Head of an HdrHistogram log. `startedAt` is wall time, only to read. */
export function hdrLogHead(startedAtMs: number, comment: string): string {
  const safe = comment.replace(/[\r\n]/g, ' ');
  return (
    `#[${safe}]\n#[Histogram log format version 1.3]\n` +
    `#[StartTime: ${(startedAtMs / 1000).toFixed(3)} (seconds since epoch), ${new Date(startedAtMs).toISOString()}]\n` +
    `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n`
  );
}
