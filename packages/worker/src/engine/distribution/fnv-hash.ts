const TWO_32 = 0x100000000;
const BASIS_HIGH = 0xcbf29ce4;
const BASIS_LOW = 0x84222325;
/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;

/**
 * YCSB's fnvhash64: FNV-1a over the eight bytes of `value`, lowest first, then the absolute value as Java takes it.
 * `value` is a whole number in 0..2^53-1; `hash` receives [high, low], 32 bits each.
 */
export function fnvHash64(value: number, hash: Uint32Array): void {
  let high = BASIS_HIGH;
  let low = BASIS_LOW;
  let octets = value >>> 0;
  for (let index = 0; index < 8; index++) {
    if (index === 4) octets = Math.floor(value / TWO_32);
    low = (low ^ (octets & 0xff)) >>> 0;
    octets >>>= 8;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + (low << 8) + Math.floor(product / TWO_32)) >>> 0;
    low = product >>> 0;
  }
  if (high >= 0x80000000) {
    // Two's complement. Of -2^63, which is its own opposite in Java, this makes 2^63.
    low = -low >>> 0;
    high = (~high + (low === 0 ? 1 : 0)) >>> 0;
  }
  hash[0] = high;
  hash[1] = low;
}

/** The 64-bit number [high, low] modulo n, n in 1..2^53-1. */
export function remainder64(high: number, low: number, n: number): number {
  let rest = high % n;
  if (n <= 2 ** 37) {
    rest = (rest * 0x10000 + (low >>> 16)) % n;
    return (rest * 0x10000 + (low & 0xffff)) % n;
  }
  for (let bit = 31; bit >= 0; bit--) {
    // Twice the rest may be past 2^53; its distance to n is not.
    rest = rest >= n - rest ? rest - (n - rest) : rest + rest;
    rest += (low >>> bit) & 1;
    if (rest === n) rest = 0;
  }
  return rest;
}
