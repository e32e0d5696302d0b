import { nearest, OBJECTIVE_METRICS, type Objective } from '@pacecar/protocol';
import { shown } from './decimal.js';
import { readLatency } from './duration.js';
import { readRate } from './rate.js';
import { readRatio } from './ratio.js';
import { bad, good, type Reading } from './reading.js';
import { refusePasted } from './refusal.js';

export const OBJECTIVE_FORM = 'get.p99 < 5ms, total.throughput > 10000/s or put.errors < 0.1%';

/** The metric is what stands behind the last dot that leaves a word: names of operations may have dots as well. */
const FORM = /^(\S.*)\.([A-Za-z][A-Za-z0-9.]*)\s*(<=|>=|<|>)\s*(\S.*)$/;
const KNOWN = new RegExp(
  `^(\\S.*)\\.(${OBJECTIVE_METRICS.map((metric) => metric.replace('.', '\\.')).join('|')})\\s*(<=|>=|<|>)\\s*(\\S.*)$`,
);

/** What a measured stage must reach: `get.p99 < 5ms`, `total.throughput > 10000/s`, `put.errors < 0.1%`. */
export function readObjective(text: string): Reading<Objective> {
  const pasted = refusePasted(text, 'an objective', OBJECTIVE_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  const match = KNOWN.exec(trimmed) ?? FORM.exec(trimmed);
  if (match === null) {
    return bad(
      `${shown(text)} is not an objective; ` +
        `write operation.metric, < <= > or >=, and a threshold: ${OBJECTIVE_FORM}`,
    );
  }
  const [, operation = '', metric = '', comparison = '', threshold = ''] = match;
  const known = OBJECTIVE_METRICS.find((candidate) => candidate === metric);
  if (known === undefined) {
    const near = nearest(metric, OBJECTIVE_METRICS);
    return bad(
      `in ${shown(text)}, the metric ${shown(metric)} is unknown${near === null ? '' : `; did you mean ${near}?`}; ` +
        `allowed: ${OBJECTIVE_METRICS.join(', ')}`,
    );
  }
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
