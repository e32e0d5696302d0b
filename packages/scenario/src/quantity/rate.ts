import { leadingNumber, nearestQuotient, shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const RATE_FORM = '20000/s, 20k/s, 1M/s or 600/min';

const FACTORS: Readonly<Record<string, bigint>> = { '': 1n, k: 1_000n, M: 1_000_000n, G: 1_000_000_000n };
const SECONDS: Readonly<Record<string, bigint>> = { s: 1n, min: 60n, h: 3_600n };
/** More than any machine sends; keeps every sum of rates finite and exact. */
const LARGEST_PER_SEC = 1e12;
/** The plan's smallest. */
const SMALLEST_PER_SEC = 1e-9;

export interface RateRange {
  /** Whether 0/s is a rate: a ramp may begin at rest. */
  readonly zero?: boolean;
}

/** Operations per second: `20000/s`, `1M/s`, `600/min`, `2.5/s`. Above 0 unless told otherwise. */
export function readRate(text: string, range: RateRange = {}): Reading<number> {
  const pasted = refusePasted(text, 'a rate', RATE_FORM);
  if (pasted !== null) return pasted;
  const trimmed = text.trim();
  if (/^-\s*\d/.test(trimmed)) return bad(`${shown(text)} is negative; allowed: ${RATE_FORM}`);
  const leading = leadingNumber(trimmed);
  const unit = leading === null ? null : /^\s*([kMG]?)\s*\/\s*(s|min|h)$/.exec(leading.rest);
  if (leading === null || unit === null) return refuse(text, 'a rate', RATE_FORM, hintFor(trimmed));
  const factor = FACTORS[unit[1] as string] as bigint;
  const seconds = SECONDS[unit[2] as string] as bigint;
  const perSec = nearestQuotient(leading.number, factor, seconds);
  if (perSec === 0 && range.zero === true) return good(0);
  if (perSec <= 0) return bad(`${shown(text)} is not above zero`);
  if (perSec < SMALLEST_PER_SEC)
    return bad(`${shown(text)} is out of range; the smallest rate is one in 31 years`);
  if (perSec > LARGEST_PER_SEC) return bad(`${shown(text)} is out of range; the largest rate is 1000G/s`);
  return good(perSec);
}

function hintFor(text: string): string | undefined {
  if (/^[\d_.]+\s*[kMG]?$/.test(text)) return `a rate says per what: ${text}/s`;
  if (/ops|req|operations|requests/i.test(text)) return 'a rate is a plain number per time, without a noun';
  const per = /\/\s*([A-Za-z]+)$/.exec(text)?.[1];
  if (per === 'm') return 'per minute is written /min';
  if (per !== undefined && !(per in SECONDS)) return `after the slash stands s, min or h, not ${shown(per)}`;
  if (/K\s*\//.test(text)) return 'a thousand is a small k';
  return undefined;
}
