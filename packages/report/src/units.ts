/** Figures as people read them. Pure text, ASCII only; `-` stands for no data. */

const NONE = '-';

/** 1234567 -> 1,234,567. Exact. */
export function formatCount(count: number | null): string {
  return count === null ? NONE : String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Three significant digits and a unit: 850 ns, 48.2 us, 1.24 ms, 2.05 s. */
export function formatLatency(latencyNs: number | null): string {
  if (latencyNs === null) return NONE;
  if (latencyNs < 1_000) return `${Math.round(latencyNs)} ns`;
  if (latencyNs < 999_500) return `${significant(latencyNs / 1e3)} us`;
  if (latencyNs < 999_500_000) return `${significant(latencyNs / 1e6)} ms`;
  return `${significant(latencyNs / 1e9)} s`;
}

/** For tables: 48.2us. */
export function compact(figure: string): string {
  return figure.replace(' ', '');
}

/** A rate to three digits: 950, 81.2k, 1.24M. Without `/s`, which stands in a heading. */
export function formatRate(perSecond: number | null): string {
  return perSecond === null ? NONE : scaled(perSecond, 1_000, ['', 'k', 'M', 'G', 'T']);
}

/** 512 B, 1.5 KiB, 20.1 MiB. */
export function formatBytes(bytes: number | null): string {
  return bytes === null ? NONE : scaled(bytes, 1_024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']);
}

/** A share in percent that is 0 % or 100 % only when it is exactly that: 99.98 %, 0.0004 %. */
export function formatPercent(ratio: number | null): string {
  if (ratio === null) return NONE;
  if (ratio === 0) return '0 %';
  if (ratio === 1) return '100 %';
  const percent = ratio * 100;
  // Two digits of whichever is smaller, the share or what is missing from the whole.
  const distance = Math.min(percent, Math.abs(100 - percent));
  const decimals = Math.min(9, Math.max(1, 1 - Math.floor(Math.log10(Math.max(distance, 1e-9)))));
  return `${trimZeros(percent.toFixed(decimals))} %`;
}

/** A deviation: +0.2 %, -1.5 %. */
export function signedPercent(share: number): string {
  return `${share < 0 ? '-' : '+'}${formatPercent(Math.abs(share))}`;
}

/** 250 ms, 9.98 s, 1m 30s, 2h 05m. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return NONE;
  if (ms < 1_000) return `${significant(ms)} ms`;
  if (ms < 59_950) return `${significant(ms / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/** Milliseconds to three digits with their unit, also below one: 0.42 ms. */
export function formatMs(ms: number | null): string {
  return ms === null ? NONE : ms >= 1_000 ? formatDuration(ms) : `${significant(ms)} ms`;
}

/** `1 worker`, `3 workers`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

/** 2026-03-01T10:00:00.123Z -> 2026-03-01 10:00:00 UTC; other texts stay as they are. */
export function formatWallTime(iso: string | null): string {
  if (iso === null) return NONE;
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})$/.exec(iso);
  return match === null ? iso : `${match[1]} ${match[2]} ${match[3] === 'Z' ? 'UTC' : match[3]}`;
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = value;
  let unit = 0;
  while (rest >= step * 0.9995 && unit < units.length - 1) {
    rest /= step;
    unit++;
  }
  return `${significant(rest)}${units[unit] ?? ''}`;
}

/** Three significant digits in plain notation, whole numbers above 100. */
function significant(value: number): string {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(6, Math.max(0, 2 - magnitude));
  const text = value.toFixed(decimals);
  // 9.996 becomes 10.00 in two decimals: one digit too many.
  return decimals > 0 && Math.abs(Number(text)) >= 10 ** (magnitude + 1) ? value.toFixed(decimals - 1) : text;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
