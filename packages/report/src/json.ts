import type { Summary } from './summary/schema.js';

/** summary.json: two blanks of indentation, one line break at the end. The same summary gives the same bytes. */
export function renderJson(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}
