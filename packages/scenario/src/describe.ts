import { PacecarError, type Plan } from '@pacecar/protocol';

/** The text of `pacecar validate`. */
export function describePlan(_plan: Plan): string {
  throw new PacecarError('INTERNAL', 'plans cannot be described yet');
}

/** Expected length of the run, ms. */
export function estimateMs(_plan: Plan): number {
  throw new PacecarError('INTERNAL', 'plans cannot be estimated yet');
}
