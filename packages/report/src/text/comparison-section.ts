import { cellLabel, coordinateNames, hasRepetitions } from '../summary/cell-label.js';
import { isWithoutRate } from '../exit-code.js';
import { headLatency } from '../summary/head-latency.js';
import { failures } from '../summary/objectives.js';
import type { CellSummary, StageSummary, Summary } from '../summary/schema.js';
import { compact, formatCount, formatLatency, formatRate } from '../units.js';
import type { Ink } from './ink.js';
import { type CellText, type Column, fits, renderTable } from './table.js';
import { printable, wrap } from './width.js';

const FIGURE_COLUMNS: readonly Column[] = [
  { heading: 'op', align: 'left', group: 1, most: 16 },
  { heading: 'ops/s', align: 'right', group: 1 },
  { heading: 'failed', align: 'right', group: 1 },
  { heading: 'p50', align: 'right', group: 1 },
  { heading: 'p99', align: 'right', group: 1 },
  { heading: 'p99.9', align: 'right', group: 1 },
  { heading: 'max', align: 'right', group: 1 },
];

interface Measured {
  readonly cell: CellSummary;
  readonly stage: StageSummary;
}

/**
 * All cells of a run, one line for each measure stage and operation. Where the coordinates do not fit beside the
 * figures, the cells are named first and the figures refer to them by number.
 */
export function comparisonLines(summary: Summary, columns: number, ink: Ink): string[] {
  const measured: Measured[] = summary.cells.flatMap((cell) =>
    cell.stages.filter((stage) => stage.kind === 'measure').map((stage) => ({ cell, stage })),
  );
  if (measured.length === 0) return [];
  const severalStages = new Set(measured.map(({ stage }) => stage.name)).size > 1;
  const number: Column = { heading: 'cell', align: 'left', group: 0 };
  const stageColumn: Column[] = severalStages
    ? [{ heading: 'stage', align: 'left', group: 1, most: 16 }]
    : [];
  const lead = ({ cell }: Measured): CellText => ({ text: `#${cell.index + 1}` });
  const stageText = ({ stage }: Measured): CellText[] =>
    severalStages ? [{ text: printable(stage.name) }] : [];
  const place = placeColumns(summary);
  const heads = [number, ...place.heads, ...stageColumn, ...FIGURE_COLUMNS];
  const full = measured.flatMap((each) =>
    figureRows(each.stage).map((row) => [lead(each), ...place.texts(each.cell), ...stageText(each), ...row]),
  );
  if (fits(heads, full, columns)) return renderTable(heads, full, columns, ink);
  const brief = measured.flatMap((each) =>
    figureRows(each.stage).map((row) => [lead(each), ...stageText(each), ...row]),
  );
  return [
    ...summary.cells.flatMap((cell) =>
      wrap(printable(cellLabel(summary, cell)), columns - 9).map(
        (line, index) => `  ${(index === 0 ? `#${cell.index + 1}` : '').padEnd(6)} ${line}`,
      ),
    ),
    ...renderTable([number, ...stageColumn, ...FIGURE_COLUMNS], brief, columns, ink),
  ];
}

/** Configuration, coordinates and repetition of a cell, each in a column of its own. */
function placeColumns(summary: Summary): { heads: Column[]; texts: (cell: CellSummary) => CellText[] } {
  const coordinates = coordinateNames(summary);
  const repetitions = hasRepetitions(summary);
  return {
    heads: [
      { heading: 'configuration', align: 'left', group: 1, most: 24 },
      ...coordinates.map((name): Column => ({ heading: printable(name), align: 'left', group: 1, most: 16 })),
      ...(repetitions ? [{ heading: 'rep', align: 'right', group: 1 } as const] : []),
    ],
    texts: (cell) => [
      { text: printable(cell.configuration) },
      ...coordinates.map((name) => ({ text: printable(String(cell.coordinates[name] ?? '-')) })),
      ...(repetitions ? [{ text: String(cell.repetition + 1) }] : []),
    ],
  };
}

function figureRows(stage: StageSummary): CellText[][] {
  // Figures of a rate that does not hold are no result beside those of rates that do.
  if (stage.search !== null && isWithoutRate(stage.search))
    return [
      [
        { text: 'search' },
        { text: 'none', tone: 'bad' },
        ...Array.from({ length: 5 }, () => ({ text: '-' })),
      ],
    ];
  const figures = stage.rows.map((row) => ({ name: row.operation, ...row }));
  const shown = figures.length > 1 ? [...figures, { ...stage.total, name: 'total' }] : figures;
  return shown.map((row) => {
    const failed = failures(row);
    const { latency } = headLatency(row);
    return [
      { text: printable(row.name) },
      { text: formatRate(row.throughputPerSec) },
      failed > 0 ? { text: formatCount(failed), tone: 'bad' } : { text: '0' },
      ...[latency.p50Ns, latency.p99Ns, latency.p999Ns, latency.maxNs].map((latencyNs) => ({
        text: compact(formatLatency(latencyNs)),
      })),
    ];
  });
}
