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

/** Base64 of the compressed V2 encoding: the last column of a histogram log. */
export function encodeHdrBase64(distribution: Distribution): string {
  return library.encodeIntoCompressedBase64(toHdrHistogram(distribution));
}

/** One interval line of an HdrHistogram log: tag, start and length in seconds, max in ms, histogram. */
export function hdrLogLine(entry: {
  tag: string;
  startSeconds: number;
  lengthSeconds: number;
  distribution: Distribution;
}): string {
  const tag = entry.tag.replace(/[,\s]/g, '_');
  const maximumMs = (entry.distribution.maximumNs ?? 0) / 1e6;
  return `Tag=${tag},${entry.startSeconds.toFixed(3)},${entry.lengthSeconds.toFixed(3)},${maximumMs.toFixed(3)},${encodeHdrBase64(entry.distribution)}\n`;
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
