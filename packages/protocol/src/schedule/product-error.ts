/** 2^27 + 1. */
const SPLITTER = 134_217_729;

/**
 * What rounding took from a product: a x b = product + error, exactly, for product = the double a * b (T. J. Dekker,
 * 1971). |a| and |b| below 2^990, and the product neither overflows nor nears the smallest doubles.
 */
export function productError(a: number, b: number, product: number): number {
  const aSplit = SPLITTER * a;
  const aHigh = aSplit - (aSplit - a);
  const aLow = a - aHigh;
  const bSplit = SPLITTER * b;
  const bHigh = bSplit - (bSplit - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}
