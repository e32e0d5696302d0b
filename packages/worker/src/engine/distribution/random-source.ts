/** A seeded stream of random numbers, as distributions draw from it. */
export interface RandomSource {
  /** In [0, 1), a multiple of 2^-53. */
  uniform(): number;
  /** An integer in 0..n-1, each exactly equally likely; n in 1..2^53-1. */
  below(n: number): number;
}
