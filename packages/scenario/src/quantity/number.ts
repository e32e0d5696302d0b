import { leadingNumber, nearestQuotient, shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const NUMBER_FORM = '0.99 or 1';

export interface NumberRange {
  /** The number is above this, never equal to it. */
  readonly above?: number;
  /** The number is at least this. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** The number is below this, never equal to it. */
  readonly below?: number;
}

/** A number with a fraction or without one. */
export function readNumber(text: string, range: NumberRange): Reading<number> {
  const pasted = refusePasted(text, 'a number', NUMBER_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  const leading = leadingNumber(trimmed.replace(/^-\s*/, ''));
  if (leading === null || leading.rest !== '') return refuse(text, 'a number', NUMBER_FORM);
  const size = nearestQuotient(leading.number, 1n, 1n);
  const value = trimmed.startsWith('-') ? -size : size;
  const { above, minimum, maximum, below } = range;
  const inRange =
    (above === undefined || value > above) &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (below === undefined || value < below);
  if (inRange) return good(value);
  const from = above === undefined ? `${minimum ?? 'any number'}` : `above ${above}`;
  const to = below === undefined ? `${maximum ?? 'any number'}` : `below ${below}`;
  return bad(`${shown(text)} is out of range; allowed: ${from} to ${to}`);
}
