import { z } from 'zod';
import { share } from '../share.js';
import { positive } from './quantities.js';

export const AmountSchema = z
  .object({
    count: positive,
    scope: z
      .enum(['worker', 'total'])
      .describe('worker: each worker has this many. total: all workers of the stage together.'),
  })
  .readonly()
  .describe('How many, and whether for each worker or in total.');
export type Amount = z.infer<typeof AmountSchema>;

/** How much of `amount` worker `index` of `of` has; over all workers a total sums to itself. */
export function amountFor(amount: Amount, of: number, index: number): number {
  return amount.scope === 'worker' ? amount.count : share(amount.count, of, index);
}
