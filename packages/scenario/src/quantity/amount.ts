import type { Amount } from '@pacecar/protocol';
import { type CountRange, readCount, writeCount } from './count.js';
import { shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refusePasted } from './refusal.js';

export const AMOUNT_FORM = '"10 per worker" or "60 total"';

/** A count that says of what it is one: `10 per worker`, `60 total`. At least 1. */
export function readAmount(text: string, range: CountRange = {}): Reading<Amount> {
  const pasted = refusePasted(text, 'an amount', AMOUNT_FORM);
  if (pasted !== null) return pasted;
  const match = /^\s*(.*?)\s*\b(per\s+worker|in\s+total|total)\s*$/.exec(text);
  if (match === null) {
    const count = readCount(text);
    const example = count.ok ? text.trim() : '10';
    return bad(
      `${shown(text)} does not say of what: write "${example} per worker" (each worker has ${example}) or ` +
        `"${example} total" (all workers of the stage together)`,
    );
  }
  const count = readCount(match[1] as string, { minimum: 1, ...range });
  if (!count.ok) return count;
  return good({ count: count.value, scope: (match[2] as string).startsWith('per') ? 'worker' : 'total' });
}

/** Reads back as the same amount. */
export function writeAmount(amount: Amount): string {
  return `${writeCount(amount.count)} ${amount.scope === 'worker' ? 'per worker' : 'total'}`;
}
