import type { StageRecord } from './record.js';
import type { StartSkew } from './schema.js';
import type { StageTally } from './tally.js';

/**
 * How far apart the workers' first operations lay. Each worker counts from the common start as its own clock shows
 * it, so a moment is known as well as its clock was: the bound of the spread is that of its two ends together.
 */
export function startSkewOf(record: StageRecord | null, tally: StageTally | null): StartSkew {
  const workers = [...new Set([...(record?.workers ?? []), ...(tally?.workers.keys() ?? [])])].sort(
    (a, b) => a - b,
  );
  const perWorker = workers.map((worker) => {
    const firstNs = tally?.workers.get(worker)?.firstOperationNs ?? null;
    return {
      worker,
      firstOperationMs: firstNs === null ? null : firstNs / 1e6,
      clockErrorMs: record?.go?.clockErrorMs.get(worker) ?? null,
    };
  });
  let earliest: (typeof perWorker)[number] | null = null;
  let latest: (typeof perWorker)[number] | null = null;
  for (const entry of perWorker) {
    if (entry.firstOperationMs === null) continue;
    if (earliest === null || entry.firstOperationMs < (earliest.firstOperationMs ?? 0)) earliest = entry;
    if (latest === null || entry.firstOperationMs > (latest.firstOperationMs ?? 0)) latest = entry;
  }
  // One worker alone is not apart from anybody.
  if (earliest === null || latest === null || earliest === latest)
    return { spreadMs: null, errorBoundMs: null, perWorker };
  const known = earliest.clockErrorMs !== null && latest.clockErrorMs !== null;
  return {
    spreadMs: (latest.firstOperationMs ?? 0) - (earliest.firstOperationMs ?? 0),
    errorBoundMs: known ? (earliest.clockErrorMs ?? 0) + (latest.clockErrorMs ?? 0) : null,
    perWorker,
  };
}
