import type { ObjectiveResult, Probe, SearchSummary, Stop } from '../summary/schema.js';
import { formatCount, formatDuration, formatPercent, formatRate, plural, signedPercent } from '../units.js';
import type { Tone } from './ink.js';
import { formatObjective } from './objective-text.js';

/** What a search and an early end came to, in words: for text and page alike. */

/** The answer of a search. */
export interface SearchAnswer {
  readonly word: string;
  readonly text: string;
  readonly tone: Extract<Tone, 'good' | 'warn' | 'bad'>;
}

export function searchAnswer(search: SearchSummary): SearchAnswer {
  const { outcome, ratePerSec, ceilingPerSec, confirmations } = search;
  const all = search.objectives.join(' and ');
  const rate = exactRate(ratePerSec);
  const confirmed = `in ${confirmations.held} of ${plural(confirmations.of, 'confirmation')}`;
  switch (outcome) {
    case 'found': {
      const ceiling = ceilingPerSec === null ? '' : `; ${exactRate(ceilingPerSec)} does not`;
      const wide = ratePerSec !== null && ceilingPerSec !== null && isWide(search, ratePerSec, ceilingPerSec);
      const rest = wide
        ? `, and there were no probes left to come closer than ${formatPercent(ceilingPerSec / ratePerSec - 1)}`
        : '';
      return { word: 'FOUND', text: `${rate} holds ${all} ${confirmed}${ceiling}${rest}`, tone: 'good' };
    }
    case 'at-least':
      return {
        word: 'AT LEAST',
        text: `${rate}, the upper end of the range, holds ${all} ${confirmed}`,
        tone: 'good',
      };
    case 'none':
      return { word: 'NONE', text: noneText(search, all), tone: 'bad' };
    case 'unsettled':
    case null: {
      const held =
        ratePerSec === null ? 'no rate had held' : `${rate} had held ${all}, and was not confirmed`;
      const made = plural(search.probes.length, 'probe');
      return outcome === null
        ? { word: 'CUT SHORT', text: `the run ended after ${made}: ${held}`, tone: 'warn' }
        : { word: 'UNSETTLED', text: `${made} were used up: ${held}`, tone: 'bad' };
    }
  }
}

/** Where the objectives were met at the lowest rate, it is something else that they must not be blamed for. */
function noneText({ minimumPerSec, probes }: SearchSummary, all: string): string {
  const rate = exactRate(minimumPerSec);
  const missed = probes.filter((probe) => probe.held === false && probe.ratePerSec === minimumPerSec);
  const last = missed.at(-1);
  const met = missed.every(({ faults }) => !faults.includes('objective') && !faults.includes('nothing'));
  return last !== undefined && met
    ? `not even ${rate} holds, though it met ${all}: ${whyNot(last)}`
    : `not even ${rate} holds ${all}`;
}

/** Rounding of rates may leave the two ends a hair further apart. */
function isWide({ precision }: SearchSummary, ratePerSec: number, ceilingPerSec: number): boolean {
  return ceilingPerSec > ratePerSec * (1 + precision + 1e-3);
}

/** `48,213/s`: as exactly as it was asked for. */
export function exactRate(perSec: number | null): string {
  if (perSec === null) return '-';
  return perSec >= 1_000 ? `${formatCount(Math.round(perSec))}/s` : `${formatRate(perSec)}/s`;
}

/** Why a rate did not hold, beside the figures of its objectives; empty for one that holds. */
export function whyNot(probe: Probe): string {
  if (probe.held === null) return 'not judged: a worker was lost, or the run ended';
  const parts = probe.faults.map((fault) => FAULTS[fault](probe));
  if (probe.limit === null) return parts.join(', ');
  // The reason stands behind the first thing that it explains.
  const explained = probe.faults.findIndex(
    (fault) => fault === 'rate' || fault === 'dropped' || fault === 'late',
  );
  const reason = ` (${LIMITS[probe.limit]})`;
  return parts.map((part, index) => (index === explained ? part + reason : part)).join(', ');
}

const FAULTS: Readonly<Record<Probe['faults'][number], (probe: Probe) => string>> = {
  nothing: () => 'nothing succeeded',
  objective: () => 'missed',
  rate: ({ sent, due }) => `sent ${signedPercent((sent ?? 0) / Math.max(due ?? 1, 1e-9) - 1)}`,
  dropped: ({ dropped }) => `${formatCount(dropped)} dropped`,
  late: ({ late, sent }) => `${formatPercent(Math.min(1, (late ?? 0) / Math.max(1, sent ?? 0)))} late`,
  errors: ({ failedRatio }) => `${formatPercent(failedRatio)} failed`,
};

const LIMITS = {
  generator: 'engine thread busy',
  pacing: 'by the generator itself',
  'in-flight': 'all in flight',
} as const;

/** `get.p99 > 5ms came true after 12.0 s: it was 6.21 ms`. */
export function stopText(stop: Stop): string {
  const after = stop.afterMs === null ? '' : ` after ${formatDuration(stop.afterMs)}`;
  return `${stop.text} came true${after}: it was ${formatObjective(stop)}`;
}

/** `get.p99`: what an objective is about, without its threshold. */
export function objectiveHead({ operation, metric }: Pick<ObjectiveResult, 'operation' | 'metric'>): string {
  return `${operation}.${metric}`;
}
