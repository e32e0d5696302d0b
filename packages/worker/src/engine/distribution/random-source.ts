/** A seeded stream of random numbers, as distributions draw from it. */
export interface RandomSource {
  /** An integer in 0..2^32-1, each equally likely. */
  u32(): number;
  /** An integer in 0..2^53-1, each equally likely. */
  u53(): number;
  /** An integer in 0..n-1, each exactly equally likely; n in 1..2^53-1. */
  below(n: number): number;
}

/** A multiple of 2^-53 in [0, 1), each equally likely. */
export function unit(random: RandomSource): number {
  return random.u53() * 2 ** -53;
}
