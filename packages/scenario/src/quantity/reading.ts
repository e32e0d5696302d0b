import { PacecarError } from '@pacecar/protocol';

/** What came of reading a text: a value, or what is wrong with it in a whole sentence. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export const good = <T>(value: T): Reading<T> => ({ ok: true, value });
export const bad = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem,
});

/** For flags, where one wrong value ends the command: throws REQUEST_INVALID with the problem. */
export function valueOf<T>(reading: Reading<T>): T {
  if (reading.ok) return reading.value;
  throw new PacecarError('REQUEST_INVALID', reading.problem);
}
