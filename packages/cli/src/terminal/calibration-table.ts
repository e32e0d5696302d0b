import { type Calibration, type CalibrationCell, ceilingPerSec } from '@pacecar/protocol';
import { formatCount } from './figures.js';

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly text: (cell: CalibrationCell, cpuCount: number) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'driver', align: 'left', text: (cell) => cell.driver },
  { title: 'op', align: 'left', text: (cell) => cell.operation },
  { title: 'thr', align: 'right', text: (cell) => String(cell.threads) },
  { title: 'depth', align: 'right', text: (cell) => String(cell.depth) },
  { title: 'bytes', align: 'right', text: (cell) => formatCount(cell.valueBytes) },
  { title: 'ops/s', align: 'right', text: (cell) => formatCount(cell.operationsPerSec) },
  { title: 'ops/s/core', align: 'right', text: (cell) => formatCount(1e6 / cell.cpuUsPerOperation) },
  { title: 'us/op', align: 'right', text: (cell) => cell.cpuUsPerOperation.toFixed(2) },
  {
    title: 'ceiling',
    align: 'right',
    text: (cell, cpuCount) => formatCount(ceilingPerSec(cell, cpuCount)),
  },
  { title: 'limit', align: 'left', text: (cell) => cell.limitedBy },
];

/** A calibration for people, at most 80 columns wide while drivers have short names. */
export function calibrationTable({ machine, cells }: Calibration): string {
  const rows = cells.map((cell) => COLUMNS.map(({ text }) => text(cell, machine.cpuCount)));
  const widths = COLUMNS.map(({ title }, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, column) =>
        COLUMNS[column]?.align === 'left'
          ? text.padEnd(widths[column] as number)
          : text.padStart(widths[column] as number),
      )
      .join(' ')
      .trimEnd();
  return [
    `${machine.cpuModel}, ${machine.cpuCount} ${machine.cpuCount === 1 ? 'core' : 'cores'}, Node.js ${machine.nodeVersion}, Pacecar ${machine.pacecarVersion}`,
    '',
    line(COLUMNS.map(({ title }) => title)),
    ...rows.map(line),
    '',
    ...LEGEND,
    '',
  ].join('\n');
}

const LEGEND = [
  'ops/s/core: operations for a second of CPU time of the generator; us/op: its CPU',
  'time for one. ceiling: what its threads do with a core each; measured where the',
  'generator is the limit, computed from its CPU time where it is not.',
  'limit, that the cell could not do more for: generator, its threads had no time',
  'left; target, its one thread had none; machine, both together used every core,',
  'which they share; other, none of these: other programs had the cores.',
];
