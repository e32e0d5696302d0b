const BARS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

/**
 * One character a value, from zero to the largest; null is a blank. More values than `most` are averaged in equal
 * runs, so a short dip may vanish: the caller prints the exact extremes beside it.
 */
export function sparkline(values: readonly (number | null)[], most: number): string {
  const shown = values.length <= most ? values : averaged(values, most);
  const largest = Math.max(0, ...shown.map((value) => value ?? 0));
  return shown
    .map((value) => {
      if (value === null) return ' ';
      if (largest === 0) return BARS[0];
      return BARS[Math.min(BARS.length - 1, Math.floor((value / largest) * BARS.length))];
    })
    .join('');
}

function averaged(values: readonly (number | null)[], most: number): (number | null)[] {
  const runs: (number | null)[] = [];
  for (let run = 0; run < most; run++) {
    const start = Math.floor((run * values.length) / most);
    const end = Math.floor(((run + 1) * values.length) / most);
    const known = values.slice(start, end).filter((value) => value !== null);
    runs.push(known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length);
  }
  return runs;
}
