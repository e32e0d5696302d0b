/** Figures for people who watch a run. */

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function formatCount(count: number): string {
  return grouped.format(count);
}

/** Three significant digits and a unit; `-` where there is nothing yet. */
export function formatLatency(latencyNs: number | null): string {
  if (latencyNs === null) return '-';
  if (latencyNs < 1_000) return `${latencyNs} ns`;
  if (latencyNs < 1e6) return `${threeDigits(latencyNs / 1e3)} us`;
  if (latencyNs < 1e9) return `${threeDigits(latencyNs / 1e6)} ms`;
  return `${threeDigits(latencyNs / 1e9)} s`;
}

/** `4.2 s`, `1:05`, `2:03:00`. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.max(0, elapsedMs) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}

function threeDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
