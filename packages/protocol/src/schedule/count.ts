/** Some roundings of a double, relative. */
const ROUNDINGS = 2 ** -50;

/**
 * A count that is a whole number but for roundings, as that number: 16.1 per second for 1000 s are 16,100 arrivals,
 * not the 16,100.000000000002 of the product, whose 16,101st would come too late.
 */
export function settled(count: number): number {
  const whole = Math.round(count);
  return Math.abs(count - whole) <= whole * ROUNDINGS ? whole : count;
}
