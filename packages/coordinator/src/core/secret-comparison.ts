/**
 * Whether two texts are equal, in a time that depends on the offered text's length only, so that a token cannot be
 * guessed letter by letter from how soon it is refused.
 */
export function sameSecret(expected: string, offered: string): boolean {
  let difference = expected.length ^ offered.length;
  for (let position = 0; position < offered.length; position++)
    // Past the end of `expected` charCodeAt is NaN, which `^` takes as 0; the lengths differ already.
    difference |= expected.charCodeAt(position) ^ offered.charCodeAt(position);
  return difference === 0;
}
