/**
 * When operations are due: arithmetic, without a state that could drift. With r the rate of the profile,
 *
 *   expectedCount(t) = integral of r from 0 to t        arrivalTime(n) = the first moment after which it exceeds n
 *
 * so at a constant rate arrival n (0, 1, 2 ...) is due at n / r, and where the rate rests at 0 nothing is due.
 */
export interface Schedule {
  /** How many arrivals there should be until `atNs` after the start; a real number. */
  expectedCount(atNs: number): number;
  /**
   * When arrival `n` (real, not below 0) is due: whole ns after the start, never falling as n grows over whole numbers.
   * Infinity if the schedule never comes to it. At a constant rate within 1 ns of the truth for any n up to 2^53.
   */
  arrivalTimeNs(n: number): number;
}
