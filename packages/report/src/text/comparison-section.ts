import { coordinateNames, hasRepetitions } from '../summary/cell-label.js';
import { failures } from '../summary/objectives.js';
import type { Summary } from '../summary/schema.js';
import { formatCount, formatLatency, formatRate } from '../units.js';
import type { Ink } from './ink.js';
import { type CellText, type Column, renderTable } from './table.js';
import { printable } from './width.js';

/** All cells of a run, one line for each measure stage and operation. */
export function comparisonLines(summary: Summary, columns: number, ink: Ink): string[] {
  const coordinates = coordinateNames(summary);
  const repetitions = hasRepetitions(summary);
  const measured = summary.cells.flatMap((cell) =>
    cell.stages.filter((stage) => stage.kind === 'measure').map((stage) => ({ cell, stage })),
  );
  const stageNames = new Set(measured.map(({ stage }) => stage.name));
  const heads: Column[] = [
    { heading: 'cell', align: 'left', group: 0 },
    { heading: 'configuration', align: 'left', group: 1, most: 24 },
    ...coordinates.map((name): Column => ({ heading: printable(name), align: 'left', group: 1, most: 16 })),
    ...(repetitions ? [{ heading: 'rep', align: 'right', group: 1 } as const] : []),
    ...(stageNames.size > 1 ? [{ heading: 'stage', align: 'left', group: 1, most: 16 } as const] : []),
    { heading: 'operation', align: 'left', group: 1, most: 16 },
    { heading: 'ops/s', align: 'right', group: 2 },
    { heading: 'failed', align: 'right', group: 2 },
    { heading: 'p50', align: 'right', group: 2 },
    { heading: 'p99', align: 'right', group: 2 },
    { heading: 'p99.9', align: 'right', group: 2 },
    { heading: 'max', align: 'right', group: 2 },
  ];
  const rows = measured.flatMap(({ cell, stage }) => {
    const figures = stage.rows.map((row) => ({ name: row.operation, ...row }));
    const shown = figures.length > 1 ? [...figures, { ...stage.total, name: 'total' }] : figures;
    return shown.map((row): CellText[] => {
      const failed = failures(row);
      return [
        { text: `#${cell.index + 1}` },
        { text: printable(cell.configuration) },
        ...coordinates.map((name) => ({ text: printable(String(cell.coordinates[name] ?? '-')) })),
        ...(repetitions ? [{ text: String(cell.repetition + 1) }] : []),
        ...(stageNames.size > 1 ? [{ text: printable(stage.name) }] : []),
        { text: printable(row.name) },
        { text: formatRate(row.throughputPerSec) },
        failed > 0 ? { text: formatCount(failed), tone: 'bad' } : { text: '0' },
        ...[row.service.p50Ns, row.service.p99Ns, row.service.p999Ns, row.service.maxNs].map((latencyNs) => ({
          text: formatLatency(latencyNs),
        })),
      ];
    });
  });
  return rows.length === 0 ? [] : renderTable(heads, rows, columns, ink);
}
