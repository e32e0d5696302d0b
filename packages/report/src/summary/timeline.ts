import { Distribution } from '@pacecar/protocol';
import { perSecond } from './figures.js';
import { rowKey } from './row-key.js';
import type { Timeline, TimelinePoint } from './schema.js';
import type { PointRow, PointTally, TimelineTally } from './timeline-tally.js';

/** One series a row, in the order of `rows`, and their total. A row without operations in a point has zeros there. */
export function timelineOf(
  tally: TimelineTally | null,
  rows: readonly { readonly workload: string; readonly operation: string }[],
  intervalMs: number,
): Timeline {
  const points = tally?.points() ?? [];
  const intervalsPerPoint = tally?.intervalsPerPoint ?? 1;
  const total: TimelinePoint[] = [];
  const series = rows.map(({ workload, operation }) => ({
    workload,
    operation,
    key: rowKey(workload, operation),
    points: [] as TimelinePoint[],
  }));
  const all = new Distribution();
  const latency = new Distribution();
  for (const [interval, point] of points) {
    all.clear();
    const sum = { sent: 0, ok: 0, failures: 0, misses: 0, inFlight: 0 };
    for (const { key, points: into } of series) {
      const row = point.rows.get(key);
      latency.clear();
      row?.latency.addTo(latency);
      into.push(pointOf(interval, point, row ?? EMPTY, latency));
      if (row === undefined) continue;
      all.add(latency);
      sum.sent += row.sent;
      sum.ok += row.ok;
      sum.failures += row.failures;
      sum.misses += row.misses;
      sum.inFlight += row.inFlight;
    }
    total.push(pointOf(interval, point, sum, all));
  }
  return {
    intervalMs: intervalMs * intervalsPerPoint,
    intervalsPerPoint,
    total,
    rows: series.map(({ workload, operation, points }) => ({ workload, operation, points })),
  };
}

const EMPTY = { sent: 0, ok: 0, failures: 0, misses: 0, inFlight: 0 };

function pointOf(
  interval: number,
  extent: PointTally,
  counts: Omit<PointRow, 'latency' | 'lastInterval'>,
  latency: Distribution,
): TimelinePoint {
  return {
    interval,
    startMs: extent.startNs / 1e6,
    endMs: extent.endNs / 1e6,
    sent: counts.sent,
    ok: counts.ok,
    failures: counts.failures,
    misses: counts.misses,
    inFlight: counts.inFlight,
    throughputPerSec: perSecond(counts.ok, extent.endNs - extent.startNs),
    p50Ns: latency.quantileNs(0.5),
    p99Ns: latency.quantileNs(0.99),
    maxNs: latency.maximumNs,
  };
}
