import type { Probe, SearchSummary } from '../summary/schema.js';
import { compact, formatDuration, formatRate, plural } from '../units.js';
import type { Ink } from './ink.js';
import { objectiveHead, searchAnswer, whyNot } from './search-text.js';
import { type CellText, type Column, renderTable } from './table.js';
import { formatObjective } from './objective-text.js';
import { printable, wrap } from './width.js';

/** The answer of a search and the way to it, before the figures of the probe that stands for it. */
export function searchLines(search: SearchSummary, columns: number, ink: Ink): string[] {
  const { word, text, tone } = searchAnswer(search);
  const indent = word.length + 4;
  const [first = '', ...rest] = wrap(printable(text), Math.max(20, columns - indent));
  const lines = [
    `  ${ink(tone, word)}  ${ink('bold', first)}`,
    ...rest.map((line) => ' '.repeat(indent) + ink('bold', line)),
    ...pathTable(search, columns, ink),
  ];
  const { result, probes } = search;
  if (result !== null && probes.length > 1) {
    const made = `${plural(probes.length, 'probe')}${search.totalMs === null ? '' : ` in ${formatDuration(search.totalMs)}`}`;
    lines.push(ink('dim', `  ${made}; what follows is probe ${result}`));
  }
  return lines;
}

function pathTable({ probes }: SearchSummary, columns: number, ink: Ink): string[] {
  const objectives = probes.find((probe) => probe.objectives.length > 0)?.objectives ?? [];
  const heads: Column[] = [
    { heading: 'probe', align: 'right', group: 0 },
    { heading: 'step', align: 'left', group: 1 },
    { heading: 'asked/s', align: 'right', group: 1 },
    { heading: 'sent/s', align: 'right', group: 1 },
    ...objectives.map(
      (objective): Column => ({
        heading: printable(objectiveHead(objective)),
        align: 'right',
        group: 1,
        most: 24,
      }),
    ),
    { heading: 'held', align: 'left', group: 2 },
    { heading: 'why not', align: 'left', group: 2, most: 60 },
  ];
  return renderTable(
    heads,
    probes.map((probe) => probeCells(probe, objectives.length)),
    columns,
    ink,
  );
}

function probeCells(probe: Probe, objectives: number): CellText[] {
  const figures = Array.from({ length: objectives }, (_, index): CellText => {
    const objective = probe.objectives[index];
    if (objective === undefined) return { text: '-' };
    return { text: compact(formatObjective(objective)), tone: objective.met ? 'plain' : 'bad' };
  });
  return [
    { text: String(probe.number) },
    { text: probe.step },
    { text: formatRate(probe.ratePerSec) },
    { text: formatRate(probe.achievedPerSec), tone: probe.faults.includes('rate') ? 'bad' : 'plain' },
    ...figures,
    probe.held === null
      ? { text: '-' }
      : probe.held
        ? { text: 'yes', tone: 'good' }
        : { text: 'no', tone: 'bad' },
    { text: whyNot(probe) },
  ];
}
