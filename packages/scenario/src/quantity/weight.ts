import { leadingNumber, nearestQuotient, shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const WEIGHT_FORM = '80, 12.5 or 80%';

export interface Weight {
  readonly weight: number;
  readonly percent: boolean;
}

/** The weight of an operation in a mix: `80`, or `80%` where all are percentages. Above 0, up to 10^9. */
export function readWeight(text: string): Reading<Weight> {
  const pasted = refusePasted(text, 'a weight', WEIGHT_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  if (/^-\s*[\d.]/.test(trimmed)) return bad(`${shown(text)} is negative; allowed: ${WEIGHT_FORM}`);
  const leading = leadingNumber(trimmed);
  const unit = leading?.rest.trim();
  if (leading === null || (unit !== '' && unit !== '%')) return refuse(text, 'a weight', WEIGHT_FORM);
  const weight = nearestQuotient(leading.number, 1n, 1n);
  if (weight === 0) return bad(`${shown(text)} is zero; leave the operation out instead`);
  if (weight > 1e9) return bad(`${shown(text)} is out of range; the largest weight is 10^9`);
  if (unit === '%' && weight > 100) return bad(`${shown(text)} is more than the whole; allowed: up to 100%`);
  return good({ weight, percent: unit === '%' });
}
