/**
 * Number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other
 * (optimal string alignment). O(a x b); both words are short.
 */
export function wordDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(
        (row[j - 1] as number) + 1,
        (last[j] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}

/** Longer words than this are no typo of a known word. */
const LONGEST = 60;

/** The known word that a typo most likely means, or null if none is near. The first of equals. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > LONGEST) return null;
  const plain = simplified(word);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = wordDistance(plain, simplified(candidate));
    // A third of the word may be wrong: "tpx" is no "get".
    const length = Math.max(word.length, candidate.length);
    if (distance > Math.max(1, Math.floor(length / 3)) || distance >= length) continue;
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `warm_up`, `WarmUp` and `warm-up` are the same word to a person. */
function simplified(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ \u00a0]/g, '');
}
