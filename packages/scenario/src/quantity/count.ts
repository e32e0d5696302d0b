import { LIMITS } from '@pacecar/protocol';
import { leadingNumber, shown, wholeProduct } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refuse, refusePasted } from './refusal.js';

export const COUNT_FORM = '4000000, 4_000_000, 4M, 100k or 2G (k = 1000, M = 1000k, G = 1000M)';

const FACTORS: Readonly<Record<string, bigint>> = { '': 1n, k: 1_000n, M: 1_000_000n, G: 1_000_000_000n };

export interface CountRange {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A whole number, exact: `4_000_000`, `4M`, `100k`, `1.5M`. From 0 to 2^53-1 unless told otherwise. */
export function readCount(text: string, range: CountRange = {}): Reading<number> {
  const pasted = refusePasted(text, 'a count', COUNT_FORM);
  if (pasted !== null) return pasted;
  const minimum = range.minimum ?? 0;
  const maximum = range.maximum ?? LIMITS.count;
  const trimmed = text.trim();
  if (/^-\s*\d/.test(trimmed)) return bad(`${shown(text)} is negative; allowed: ${minimum} to ${maximum}`);
  const leading = leadingNumber(trimmed);
  const factor = leading === null ? undefined : FACTORS[leading.rest.trim()];
  if (leading === null || factor === undefined) return refuse(text, 'a count', COUNT_FORM, hintFor(trimmed));
  const whole = wholeProduct(leading.number, factor);
  if (whole === null) return bad(`${shown(text)} is not a whole number; a count is one, exactly`);
  if (whole < BigInt(minimum) || whole > BigInt(maximum)) {
    const reason =
      whole > BigInt(LIMITS.count)
        ? `; ${LIMITS.count} (2^53-1) is the largest number that is counted exactly`
        : '';
    return bad(`${shown(text)} is out of range; allowed: ${minimum} to ${maximum}${reason}`);
  }
  return good(Number(whole));
}

function hintFor(text: string): string | undefined {
  if (/^\d{1,3}(,\d{3})+$/.test(text)) return `write ${text.replaceAll(',', '_')}`;
  if (/^\d+(\.\d+)?e\+?\d+$/i.test(text)) return 'powers of ten are written 4M or 4_000_000, not 4e6';
  if (/^[\d_.]+\s*K$/.test(text)) return 'a thousand is a small k';
  if (/^[\d_.]+\s*m$/.test(text)) return 'a million is a capital M';
  if (/^[\d_.]+\s*%$/.test(text)) return 'a count has no percent';
  if (text === '') return 'nothing is written';
  return undefined;
}

const STEPS: readonly (readonly [number, string])[] = [
  [1_000_000_000, 'G'],
  [1_000_000, 'M'],
  [1_000, 'k'],
];

/** The shortest text that reads back as the same count. */
export function writeCount(count: number): string {
  for (const [step, unit] of STEPS) if (count >= step && count % step === 0) return `${count / step}${unit}`;
  return String(count);
}
