/**
 * The seed of a stage: a function of the plan's seed, the repetition and the position of the stage, and of nothing
 * that differs between the sides of a comparison, so that both sides get the same streams and repetitions do not.
 */
export function stageSeed(planSeed: number, repetition: number, stageIndex: number): number {
  let low = planSeed >>> 0;
  let high = Math.floor(planSeed / 0x100000000) >>> 0;
  for (const part of [repetition, stageIndex]) {
    low = scramble(low ^ Math.imul(part + 1, 0x9e3779b1));
    high = scramble(high ^ low);
  }
  // 53 bits: the largest whole number that a message can carry.
  return (high >>> 11) * 0x100000000 + low;
}

/** Every bit of the result depends on every bit of the value; one to one (the finalizer of MurmurHash3). */
function scramble(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
