import { missedObjectives, searchesWithoutRate } from '../exit-code.js';
import type { Level, ObjectiveResult, Summary } from '../summary/schema.js';
import { plural } from '../units.js';
import { headlineOf } from '../verdict/headline.js';
import type { Ink, Tone } from './ink.js';
import { formatObjective } from './objective-text.js';
import { printable, wrap } from './width.js';

export const LEVEL_TONE: Readonly<Record<Level, Tone>> = { VALID: 'good', DEGRADED: 'warn', INVALID: 'bad' };

/** The first line, and below it every other reason and what the objectives came to. */
export function verdictLines(summary: Summary, columns: number, ink: Ink): string[] {
  const headline = headlineOf(summary);
  const tone = LEVEL_TONE[headline.status];
  const word = headline.mark === null ? headline.status : `${headline.status} (${headline.mark})`;
  const lines = hanging(word, printable(headline.text), columns, (text) => ink(tone, text), ink);
  for (const reason of summary.verdict.reasons.slice(1))
    lines.push(
      ...hanging(
        `  ${reason.level}`,
        printable(reason.text),
        columns,
        (text) => ink(LEVEL_TONE[reason.level], text),
        ink,
      ),
    );
  const missed = missedObjectives(summary);
  if (missed > 0) lines.push(ink('bad', `  ${plural(missed, 'objective')} MISSED`));
  const without = searchesWithoutRate(summary);
  if (without > 0)
    lines.push(ink('bad', `  ${plural(without, 'search', 'searches')} WITHOUT A RATE THAT HOLDS`));
  return lines;
}

/** What was checked and holds, and what a reader should know. */
export function evidenceLines(summary: Summary, columns: number, ink: Ink): string[] {
  const lines: string[] = [];
  if (summary.verdict.evidence.length > 0) lines.push('', ink('bold', 'checked'));
  for (const finding of summary.verdict.evidence)
    lines.push(...hanging('  holds', printable(finding.text), columns, (text) => ink('dim', text), ink));
  if (summary.notes.length > 0) lines.push('', ink('bold', 'notes'));
  for (const note of summary.notes)
    lines.push(...hanging('  -', printable(note), columns, (text) => ink('dim', text), ink));
  return lines;
}

export function objectiveLines(objectives: readonly ObjectiveResult[], ink: Ink): string[] {
  const longest = Math.max(0, ...objectives.map((objective) => printable(objective.text).length));
  return objectives.map((objective) => {
    const word = objective.met ? ink('good', 'met   ') : ink('bad', 'MISSED');
    return `  objective ${word}  ${printable(objective.text).padEnd(longest)}  it was ${formatObjective(objective)}`;
  });
}

function hanging(
  lead: string,
  text: string,
  columns: number,
  inkLead: (text: string) => string,
  ink: Ink,
): string[] {
  const indent = lead.length + 2;
  const [first = '', ...rest] = wrap(text, Math.max(20, columns - indent));
  return [`${inkLead(lead)}  ${first}`, ...rest.map((line) => ' '.repeat(indent) + ink('plain', line))];
}
