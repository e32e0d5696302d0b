import type { Summary } from '../summary/schema.js';

export interface TextOptions {
  /** Width of the terminal, in characters. */
  readonly columns: number;
  /** Whether to write ANSI colours. */
  readonly color: boolean;
  /** Whether to add a table of every worker. */
  readonly perWorker: boolean;
}

/** The report for a terminal. The first line is the verdict; every line ends with a line break. */
export function renderText(_summary: Summary, _options: TextOptions): string {
  return '';
}
