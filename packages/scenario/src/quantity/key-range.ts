import { LIMITS } from '@pacecar/protocol';
import { readCount } from './count.js';
import { shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const KEY_RANGE_FORM = '0..99999 (both ends included) or a count such as 100k (0..99999)';

export interface KeyRange {
  /** Both inclusive. */
  readonly minimum: number;
  readonly maximum: number;
}

/** Numbers of keys: `0..99999`, both inclusive, or a count from 0 on. */
export function readKeyRange(text: string): Reading<KeyRange> {
  const pasted = refusePasted(text, 'a key range', KEY_RANGE_FORM);
  if (pasted !== null) return pasted;
  const ends = text.split('..');
  if (ends.length > 2) return refuse(text, 'a key range', KEY_RANGE_FORM, 'a range has two ends');
  const dash = /^\s*([\d_]+[kMG]?)\s*-\s*([\d_]+[kMG]?)\s*$/.exec(text);
  if (dash !== null)
    return refuse(text, 'a key range', KEY_RANGE_FORM, `a range is written ${dash[1]}..${dash[2]}`);
  const [first = '', second] = ends;
  if (second === undefined) {
    const count = readCount(first, { minimum: 1 });
    return count.ok ? good({ minimum: 0, maximum: count.value - 1 }) : count;
  }
  // One less than the largest count, so that the number of keys is itself a count.
  const range = { maximum: LIMITS.count - 1 };
  const minimum = readCount(first, range);
  if (!minimum.ok) return minimum;
  const maximum = readCount(second, range);
  if (!maximum.ok) return maximum;
  if (maximum.value < minimum.value)
    return bad(`${shown(text)} is reversed; write the smaller end first: ${second.trim()}..${first.trim()}`);
  return good({ minimum: minimum.value, maximum: maximum.value });
}
