import { addCounters, type Counters, Distribution, errorCount, NO_COUNTERS } from '@pacecar/protocol';
import type { Histogram } from './histogram.js';
import type { Figures, Latency, Spectrum } from './schema.js';

/** Everything that figures are made of; adding is associative and commutative. */
export interface Tallied {
  readonly counters: Counters;
  /** Whether hits and misses mean anything: some operation looks keys up. */
  readonly looksUp: boolean;
  readonly service: Distribution;
  readonly response: Distribution;
  readonly failed: Distribution;
  readonly pacing: Distribution;
}

export interface Tallyable {
  /** Whether its operations look keys up, by the plan; left out where only the counts can tell. */
  readonly looksUp?: boolean;
  readonly counters: Counters;
  readonly service: Histogram;
  readonly response: Histogram;
  readonly failed: Histogram;
  readonly pacing: Histogram;
}

/** Distributions that are used again and again: a new one costs 270 KB. */
export interface Scratch {
  readonly service: Distribution;
  readonly response: Distribution;
  readonly failed: Distribution;
  readonly pacing: Distribution;
}

export function newScratch(): Scratch {
  return {
    service: new Distribution(),
    response: new Distribution(),
    failed: new Distribution(),
    pacing: new Distribution(),
  };
}

/**
 * Merges rows of one or of all operations, over workers. Histograms are merged, never percentiles. The result holds
 * `scratch`, so it is good until the scratch is used again.
 */
export function mergeTallied(rows: Iterable<Tallyable>, scratch: Scratch): Tallied {
  let counters = NO_COUNTERS;
  let looksUp = false;
  const { service, response, failed, pacing } = scratch;
  service.clear();
  response.clear();
  failed.clear();
  pacing.clear();
  for (const row of rows) {
    counters = addCounters(counters, row.counters);
    looksUp ||= row.looksUp === true || row.counters.hits + row.counters.misses > 0;
    row.service.addTo(service);
    row.response.addTo(response);
    row.failed.addTo(failed);
    row.pacing.addTo(pacing);
  }
  return { counters, looksUp, service, response, failed, pacing };
}

/** `elapsedNs` is the true extent; null or 0 gives no rates. */
export function figuresOf(tallied: Tallied, elapsedNs: number | null): Figures {
  const { counters, looksUp } = tallied;
  const reads = counters.hits + counters.misses;
  return {
    sent: counters.sent,
    ok: counters.ok,
    hits: looksUp ? counters.hits : null,
    misses: looksUp ? counters.misses : null,
    errors: sortedErrors(counters.errors),
    errorCount: errorCount(counters),
    timeouts: counters.timeouts,
    aborted: counters.aborted,
    late: counters.late,
    dropped: counters.dropped,
    hitRatio: looksUp && reads > 0 ? counters.hits / reads : null,
    throughputPerSec: perSecond(counters.ok, elapsedNs),
    bytesSentPerSec: perSecond(counters.bytesSent, elapsedNs),
    bytesReceivedPerSec: perSecond(counters.bytesReceived, elapsedNs),
    service: latencyOf(tallied.service),
    response: tallied.response.count === 0 ? null : latencyOf(tallied.response),
    failed: tallied.failed.count === 0 ? null : latencyOf(tallied.failed),
    pacing: tallied.pacing.count === 0 ? null : latencyOf(tallied.pacing),
    ...(counters.notes === undefined ? {} : { notes: counters.notes }),
  };
}

/** Three decimals: more than any rate deserves, and the same text on every machine. */
export function perSecond(amount: number, elapsedNs: number | null): number | null {
  if (elapsedNs === null || elapsedNs <= 0) return null;
  return Math.round((amount / elapsedNs) * 1e12) / 1e3;
}

export function latencyOf(distribution: Distribution): Latency {
  const meanNs = distribution.meanNs;
  return {
    count: distribution.count,
    minNs: distribution.minimumNs,
    meanNs: meanNs === null ? null : Math.round(meanNs),
    p50Ns: distribution.quantileNs(0.5),
    p90Ns: distribution.quantileNs(0.9),
    p99Ns: distribution.quantileNs(0.99),
    p999Ns: distribution.quantileNs(0.999),
    p9999Ns: distribution.quantileNs(0.9999),
    maxNs: distribution.maximumNs,
    saturated: distribution.saturated,
  };
}

/** Ratios at which a percentile curve is drawn: even steps in the body, then a tenth of the rest at a time. */
const RATIOS: readonly number[] = [
  0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92,
  0.94, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.992, 0.994, 0.995, 0.996, 0.997, 0.998, 0.9985, 0.999, 0.9992,
  0.9994, 0.9995, 0.9996, 0.9997, 0.9998, 0.9999, 0.99992, 0.99995, 0.99998, 0.99999, 0.999995, 0.999999,
  0.9999999,
];

/** The percentile curve, as far as there are operations enough to tell the points apart. Empty without data. */
export function spectrumOf(distribution: Distribution): Spectrum {
  if (distribution.count === 0) return [];
  const points: { ratio: number; latencyNs: number }[] = [];
  for (const ratio of RATIOS) {
    if ((1 - ratio) * distribution.count < 1) break;
    points.push({ ratio, latencyNs: distribution.quantileNs(ratio) ?? 0 });
  }
  points.push({ ratio: 1, latencyNs: distribution.maximumNs ?? 0 });
  return points;
}

function sortedErrors(errors: Readonly<Record<string, number>>): Record<string, number> {
  const kinds = Object.entries(errors).filter(([, count]) => count > 0);
  kinds.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kinds);
}
