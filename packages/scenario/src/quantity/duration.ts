import { leadingNumber, nearestQuotient, shown, wholeProduct } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const DURATION_FORM = '500ms, 10s, 1m30s or 2h';
export const LATENCY_FORM = '250us, 5ms, 1.5s or 1m30s';

const NS_PER_MS = 1_000_000n;
/** In descending order, as they must be written. */
const UNITS: readonly { readonly unit: string; readonly ns: bigint }[] = [
  { unit: 'd', ns: 86_400_000_000_000n },
  { unit: 'h', ns: 3_600_000_000_000n },
  { unit: 'm', ns: 60_000_000_000n },
  { unit: 's', ns: 1_000_000_000n },
  { unit: 'ms', ns: NS_PER_MS },
  { unit: 'us', ns: 1_000n },
  { unit: 'ns', ns: 1n },
];
const DURATION_UNITS = UNITS.filter((unit) => unit.ns >= NS_PER_MS);
const ALIASES: Readonly<Record<string, string>> = {
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  hour: 'h',
  hours: 'h',
  hr: 'h',
  hrs: 'h',
  day: 'd',
  days: 'd',
  msec: 'ms',
  millis: 'ms',
  milliseconds: 'ms',
  usec: 'us',
  microseconds: 'us',
  nanoseconds: 'ns',
};

export interface DurationRange {
  readonly minimumMs?: number;
  readonly maximumMs?: number;
}

/** Longest time that a plan holds. */
const LONGEST_MS = 31 * 24 * 3_600_000;

/** A time, ms: `500ms`, `1m30s`, `2h`. A bare number is refused: nobody can tell seconds from milliseconds. */
export function readDuration(text: string, range: DurationRange = {}): Reading<number> {
  const minimumMs = range.minimumMs ?? 0;
  const maximumMs = range.maximumMs ?? LONGEST_MS;
  const ns = readNs(text, 'a duration', DURATION_FORM, DURATION_UNITS);
  if (!ns.ok) return ns;
  const ms = nearestQuotient({ digits: ns.value, scale: 0 }, 1n, NS_PER_MS);
  if (ms < minimumMs || ms > maximumMs)
    return bad(
      `${shown(text)} is out of range; allowed: ${writeDuration(minimumMs)} to ${writeDuration(maximumMs)}`,
    );
  return good(ms);
}

/** A latency, whole ns: as a duration, and with `us` and `ns`. */
export function readLatency(text: string): Reading<number> {
  const ns = readNs(text, 'a latency', LATENCY_FORM, UNITS);
  if (!ns.ok) return ns;
  if (ns.value > 3_600_000_000_000n)
    return bad(`${shown(text)} is out of range; latencies are recorded up to 1h`);
  return good(Number(ns.value));
}

function readNs(text: string, kind: string, form: string, units: typeof UNITS): Reading<bigint> {
  const pasted = refusePasted(text, kind, form);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  if (/^-\s*\d/.test(trimmed)) return bad(`${shown(text)} is negative; allowed: ${form}`);
  if (/^[\d_.]+$/.test(trimmed) && leadingNumber(trimmed)?.rest === '') {
    return bad(`${shown(text)} has no unit: write ${trimmed}s for seconds or ${trimmed}ms for milliseconds`);
  }
  let rest = trimmed;
  let total = 0n;
  let previous = -1;
  while (rest !== '' || previous === -1) {
    const leading = leadingNumber(rest);
    const written = leading === null ? null : /^\s*([a-zµμ]+)/i.exec(leading.rest);
    if (leading === null || written === null) return refuse(text, kind, form);
    const word = (written[1] as string).replace(/[µμ]/, 'u');
    const position = units.findIndex((unit) => unit.unit === word);
    if (position === -1) return refuse(text, kind, form, unitHint(word, units));
    if (position <= previous) return refuse(text, kind, form, 'units come once each, the largest first');
    const unit = units[position] as (typeof UNITS)[number];
    const ns = wholeProduct(leading.number, unit.ns);
    if (ns === null) return bad(`${shown(text)} is finer than a nanosecond`);
    total += ns;
    previous = position;
    rest = leading.rest.slice(written[0].length).trimStart();
  }
  return good(total);
}

function unitHint(word: string, units: typeof UNITS): string {
  const known = ALIASES[word.toLowerCase()] ?? (word === word.toLowerCase() ? undefined : word.toLowerCase());
  const usable = units.some((unit) => unit.unit === known);
  const finer = UNITS.some((unit) => unit.unit === word) && !usable;
  if (finer) return `nothing here is finer than a millisecond; the unit ${word} is for latencies`;
  return `the unit ${shown(word)} is unknown${usable ? `; did you mean ${known}?` : ''}`;
}

/** The shortest text of whole units that reads back as the same time. */
export function writeDuration(ms: number): string {
  return writeUnits(nsOfMs(ms), '0s');
}

/** As `writeDuration`, for latencies in ns. */
export function writeLatency(ns: number): string {
  return writeUnits(BigInt(Math.round(ns)), '0ms');
}

function nsOfMs(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * NS_PER_MS + BigInt(Math.round((ms - whole) * 1e6));
}

function writeUnits(ns: bigint, zero: string): string {
  if (ns === 0n) return zero;
  let rest = ns;
  let text = '';
  for (const unit of UNITS) {
    const amount = rest / unit.ns;
    rest %= unit.ns;
    if (amount > 0n) text += `${amount}${unit.unit}`;
  }
  return text;
}
