import { CAN_MISS, nearest, OBJECTIVE_METRICS, type Objective, OPERATIONS } from '@pacecar/protocol';
import { shown } from './decimal.js';
import { readLatency } from './duration.js';
import { readRate } from './rate.js';
import { readRatio } from './ratio.js';
import { bad, good, type Reading } from './reading.js';
import { refusePasted } from './refusal.js';

export const OBJECTIVE_FORM = 'get.p99 < 5ms, total.throughput > 10000/s or put.errors < 0.1%';

const SUBJECTS: readonly string[] = [...OPERATIONS, 'total'];

/** What a measured stage must reach: `get.p99 < 5ms`, `total.throughput > 10000/s`, `put.errors < 0.1%`. */
export function readObjective(text: string): Reading<Objective> {
  const pasted = refusePasted(text, 'an objective', OBJECTIVE_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  const match = /^([A-Za-z][A-Za-z-]*)\.([A-Za-z][A-Za-z0-9.]*)\s*(<=|>=|<|>)\s*(\S.*)$/.exec(trimmed);
  if (match === null) {
    return bad(
      `${shown(text)} is not an objective; ` +
        `write operation.metric, < <= > or >=, and a threshold: ${OBJECTIVE_FORM}`,
    );
  }
  const [, operation = '', metric = '', comparison = '', threshold = ''] = match;
  if (!SUBJECTS.includes(operation)) return bad(unknown(text, 'operation', operation, SUBJECTS));
  const known = OBJECTIVE_METRICS.find((candidate) => candidate === metric);
  if (known === undefined) return bad(unknown(text, 'metric', metric, OBJECTIVE_METRICS));
  if (known === 'misses' && operation !== 'total' && !CAN_MISS.has(operation))
    return bad(`in ${shown(text)}, ${operation} cannot miss; allowed: ${[...CAN_MISS, 'total'].join(', ')}`);
  const value = readThreshold(known, threshold);
  if (!value.ok) return bad(`in ${shown(text)}, ${value.problem}`);
  if (trimmed.length > 200) return bad(`${shown(text)} is longer than 200 characters`);
  return good({
    text: trimmed,
    operation,
    metric: known,
    comparison: comparison as Objective['comparison'],
    threshold: value.value,
  });
}

function readThreshold(metric: Objective['metric'], text: string): Reading<number> {
  if (metric === 'throughput') return readRate(text);
  if (metric === 'errors' || metric === 'misses') return readRatio(text);
  return readLatency(text);
}

function unknown(text: string, what: string, word: string, allowed: readonly string[]): string {
  const near = nearest(word, allowed);
  return (
    `in ${shown(text)}, the ${what} ${shown(word)} is unknown${near === null ? '' : `; did you mean ${near}?`}; ` +
    `allowed: ${allowed.join(', ')}`
  );
}
