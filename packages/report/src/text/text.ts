import type { CellSummary, Summary } from '../summary/schema.js';
import { neverBegan } from '../summary/stage-summary.js';
import { actLines } from './act-section.js';
import { comparisonLines } from './comparison-section.js';
import { type Ink, inkFor } from './ink.js';
import { cellHeading, runLines } from './run-section.js';
import { briefLines, stageLines, unmeasuredLine } from './stage-section.js';
import { evidenceLines, verdictLines } from './verdict-section.js';
import { workerLines } from './worker-section.js';

export interface TextOptions {
  /** Width of the terminal, in characters. */
  readonly columns: number;
  /** Whether to write ANSI colours. */
  readonly color: boolean;
  /** Whether to add a table of every worker. */
  readonly perWorker: boolean;
}

/** More cells than this are only compared: a page for each would bury the comparison. */
const CELLS_IN_FULL = 8;
const FEWEST_COLUMNS = 40;

/** The report for a terminal. The first line is the verdict; every line ends with a line break. */
export function renderText(summary: Summary, options: TextOptions): string {
  const columns = Math.max(FEWEST_COLUMNS, options.columns);
  const ink = inkFor(options.color);
  const lines = [...verdictLines(summary, columns, ink), '', ...runLines(summary, columns, ink)];
  const several = summary.cells.length > 1;
  if (several) {
    lines.push('', ink('bold', 'all cells'), ...comparisonLines(summary, columns, ink));
    if (summary.cells.length > CELLS_IN_FULL && !options.perWorker)
      lines.push(
        ink('dim', '  Each cell in full: report.html, or pacecar report BUNDLE --format csv or --per-worker'),
      );
  }
  if (summary.cells.length <= CELLS_IN_FULL || options.perWorker)
    summary.cells.forEach((cell, index) => {
      if (several) lines.push('', ink('bold', `#${cell.index + 1}  ${cellHeading(summary, index)}`));
      lines.push(...cellLines(summary, cell, { ...options, columns }, ink));
    });
  lines.push(...evidenceLines(summary, columns, ink));
  return `${lines.join('\n')}\n`;
}

/** The stages of a cell in their order; those that only prepare or check are brief beside a measurement. */
function cellLines(summary: Summary, cell: CellSummary, options: TextOptions, ink: Ink): string[] {
  const measured = cell.stages.some((stage) => stage.kind === 'measure');
  const { columns } = options;
  const parts = [
    ...cell.stages.map((stage) => ({
      index: stage.index,
      lines: [
        ...(stage.kind === 'measure' || !measured
          ? stageLines(stage, columns, ink)
          : briefLines(stage, columns, ink)),
        ...(options.perWorker && !neverBegan(stage) ? workerLines(summary, stage, columns, ink) : []),
      ],
    })),
    ...cell.unmeasured.map((stage) => ({ index: stage.index, lines: [unmeasuredLine(stage, ink)] })),
    ...cell.acts.map((act) => ({ index: act.index, lines: actLines(act, columns, ink) })),
  ];
  parts.sort((a, b) => a.index - b.index);
  return parts.flatMap(({ lines }) => ['', ...lines]);
}
