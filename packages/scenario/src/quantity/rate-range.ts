import { shown } from './decimal.js';
import { readRate } from './rate.js';
import { bad, good, type Reading } from './reading.js';

const RATE_RANGE_FORM = '1000/s..1M/s';

/** Operations per second of all workers together. */
export interface RateSpan {
  readonly minimumPerSec: number;
  readonly maximumPerSec: number;
}

/** `1000/s..1M/s`, the lower end first. */
export function readRateRange(text: string): Reading<RateSpan> {
  const [low = '', high, more] = text.split('..');
  if (high === undefined || more !== undefined)
    return bad(`${shown(text)} is no range of rates; write its two ends: ${RATE_RANGE_FORM}`);
  const minimum = readRate(low);
  if (!minimum.ok) return minimum;
  const maximum = readRate(high);
  if (!maximum.ok) return maximum;
  if (minimum.value > maximum.value)
    return bad(`${shown(text)} is reversed; write the lower end first: ${high.trim()}..${low.trim()}`);
  if (minimum.value === maximum.value)
    return bad(`${shown(text)} is one rate twice; to try a single one write \`rate: ${low.trim()}\``);
  return good({ minimumPerSec: minimum.value, maximumPerSec: maximum.value });
}
