import { writeRatio } from '../quantity/ratio.js';

/** A weight as it is written. */
export interface Share {
  readonly weight: number;
  readonly percent: boolean;
}

/** What is wrong with weights that stand together, or null: percentages add up to 100 %, and stand alone. */
export function sharesProblem(shares: readonly Share[]): string | null {
  const percents = shares.filter(({ percent }) => percent);
  const sum = percents.reduce((total, { weight }) => total + weight, 0);
  if (percents.length === 0) return null;
  if (percents.length < shares.length)
    return 'mixes weights and percentages; write a % behind all of them or behind none';
  if (Math.abs(sum - 100) > 1e-9)
    return `the percentages add up to ${writeRatio(sum / 100)}; they must add up to 100%`;
  return null;
}
