import { readCount } from './count.js';
import { shown } from './decimal.js';
import { bad, type Reading } from './reading.js';
import { refusePasted } from './refusal.js';

export const OPERATION_COUNT_FORM = '"1000 operations" or "10k operations"';

/** So many operations: `1000 operations`. The noun keeps it apart from a time. At least 1. */
export function readOperationCount(text: string): Reading<number> {
  const pasted = refusePasted(text, 'a number of operations', OPERATION_COUNT_FORM);
  if (pasted !== null) return pasted;
  const count = /^\s*(.*?)\s*\boperations?\s*$/.exec(text)?.[1];
  if (count === undefined)
    return bad(`${shown(text)} does not say of what; allowed: ${OPERATION_COUNT_FORM}`);
  return readCount(count, { minimum: 1 });
}
