/** Marks of the axes. */

/** 0, 30s, 2m, 1h30m of seconds since the stage's start. */
export function secondTicks(seconds: number): string {
  if (seconds < 60 || seconds % 1 !== 0) return `${Number(seconds.toFixed(2))}s`;
  const rest = seconds % 60;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return rest === 0 ? `${minutes}m` : `${minutes}m${rest}s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
}

/** Powers of ten within the range; of a short range also 2 and 5 times as much. */
export function tenTicks(least: number, largest: number): number[] {
  const ticks: number[] = [];
  const short = Math.log10(largest / least) < 2.2;
  for (let ten = 10 ** Math.floor(Math.log10(least)); ten <= largest * 1.001; ten *= 10)
    for (const factor of short ? [1, 2, 5] : [1]) {
      const tick = ten * factor;
      if (tick >= least * 0.999 && tick <= largest * 1.001) ticks.push(tick);
    }
  return ticks;
}

/** One in ten above is 90 %, one in a hundred is 99 %. */
export function shareTicks(oneIn: number): string {
  const percent = 100 - 100 / oneIn;
  const nines = Math.max(0, Math.ceil(Math.log10(oneIn)) - 2);
  return `${Number(percent.toFixed(Math.min(7, nines + 1)))}%`;
}
