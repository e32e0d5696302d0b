/** A double as the fraction that it is: numerator / denominator. */
export function fractionOf(value: number): { numerator: bigint; denominator: bigint } {
  let scaled = value;
  let denominator = 1n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return { numerator: BigInt(scaled), denominator };
}
