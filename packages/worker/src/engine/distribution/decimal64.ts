const TWO_32 = 0x100000000;
const MILLION = 1_000_000;
const ZERO = 48;

/** Longest text of a 64-bit number. */
export const DECIMAL64_BYTES = 20;

/**
 * Writes the unsigned 64-bit number [high, low] as decimal text from `at` on and returns where it ends.
 * Two divisions by a million leave three numbers that a double holds exactly: every dividend is below 2^52.
 */
export function writeDecimal64(high: number, low: number, bytes: Uint8Array, at: number): number {
  const highQuotient = Math.floor(high / MILLION);
  const dividend = (high - highQuotient * MILLION) * TWO_32 + low;
  const lowQuotient = Math.floor(dividend / MILLION);
  const lowest = dividend - lowQuotient * MILLION;
  const quotient = highQuotient * TWO_32 + lowQuotient;
  const top = Math.floor(quotient / MILLION);
  const middle = quotient - top * MILLION;
  if (top === 0) return writeDecimal(middle * MILLION + lowest, bytes, at);
  const end = writeDecimal(top, bytes, at);
  writePadded(middle, 6, bytes, end);
  writePadded(lowest, 6, bytes, end + 6);
  return end + 12;
}

/** Writes a whole number in 0..2^53-1 as decimal text from `at` on and returns where it ends. */
export function writeDecimal(value: number, bytes: Uint8Array, at: number): number {
  let digits = 1;
  for (let bound = 10; digits < 16 && value >= bound; bound *= 10) digits++;
  writePadded(value, digits, bytes, at);
  return at + digits;
}

/** Both characters of 00 to 99. */
const PAIRS = Uint8Array.from(
  { length: 200 },
  (_, index) => ZERO + (index % 2 === 0 ? Math.floor(index / 20) : (index >> 1) % 10),
);

/** Writes the last `width` decimal digits of a whole number in 0..2^53-1, with zeros in front. */
export function writePadded(value: number, width: number, bytes: Uint8Array, at: number): void {
  let rest = value;
  let place = at + width - 1;
  while (rest > 0x7fffffff && place >= at) {
    const quotient = Math.floor(rest / 10);
    // The difference first: 48 + 2^53-1 would be rounded.
    bytes[place--] = ZERO + (rest - quotient * 10);
    rest = quotient;
  }
  let small = rest | 0;
  while (place > at) {
    const quotient = (small / 100) | 0;
    const pair = (small - quotient * 100) << 1;
    bytes[place--] = PAIRS[pair + 1] as number;
    bytes[place--] = PAIRS[pair] as number;
    small = quotient;
  }
  if (place === at) bytes[place] = ZERO + (small % 10);
}
