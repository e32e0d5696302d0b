import { leadingNumber, nearestQuotient, shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const RATIO_FORM = '0.1% or 0.001, from 0 to 100%';

/** A share of a whole, 0..1: `0.1%`, `0.001`. */
export function readRatio(text: string): Reading<number> {
  const pasted = refusePasted(text, 'a share', RATIO_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  if (/^-\s*[\d.]/.test(trimmed)) return bad(`${shown(text)} is negative; allowed: ${RATIO_FORM}`);
  const leading = leadingNumber(trimmed);
  const unit = leading?.rest.trim();
  if (leading === null || (unit !== '' && unit !== '%')) return refuse(text, 'a share', RATIO_FORM);
  const ratio = nearestQuotient(leading.number, 1n, unit === '%' ? 100n : 1n);
  if (ratio > 1) {
    const hint = unit === '' && ratio <= 100 ? `; did you mean ${trimmed}%?` : '';
    return bad(`${shown(text)} is more than the whole${hint}; allowed: ${RATIO_FORM}`);
  }
  return good(ratio);
}

/** For example `0.1%`; reads back as the same share as far as 12 digits go. */
export function writeRatio(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(12))}%`;
}
