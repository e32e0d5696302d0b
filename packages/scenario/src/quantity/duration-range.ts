import { type DurationRange, readDuration } from './duration.js';
import { shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';

export const BACK_OFF_FORM = '10ms..1s, or 100ms for one that stays';

/** From a shortest to a longest, both ms. */
export interface Span {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** `10ms..1s`, or one duration for both ends. */
export function readDurationSpan(text: string, range: DurationRange = {}): Reading<Span> {
  const ends = text.split('..');
  if (ends.length > 2) return bad(`${shown(text)} has more than two ends; write ${BACK_OFF_FORM}`);
  const shortest = readDuration(ends[0] ?? '', range);
  if (!shortest.ok) return shortest;
  const longest = ends.length === 1 ? shortest : readDuration(ends[1] ?? '', range);
  if (!longest.ok) return longest;
  if (longest.value < shortest.value)
    return bad(
      `${shown(text)} is reversed; write the shorter end first: ${ends[1]?.trim()}..${ends[0]?.trim()}`,
    );
  return good({ shortestMs: shortest.value, longestMs: longest.value });
}
