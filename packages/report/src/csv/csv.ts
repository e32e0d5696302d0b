import type { Summary } from '../summary/schema.js';

/** Which table `renderCsv` writes. */
export type CsvTable = 'rows' | 'workers';

/** One line per cell, stage and operation (and a total). RFC 4180. */
export function renderCsv(_summary: Summary, _table: CsvTable = 'rows'): string {
  return '';
}

/** timeline.csv: one line per cell, stage, interval and operation (and a total). RFC 4180. */
export function timelineCsv(_summary: Summary): string {
  return '';
}
