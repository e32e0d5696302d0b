import type { Summary } from './summary/schema.js';

/** A line holds what fits into it, so that a point of a timeline or the latencies of a row take one each. */
const LINE = 240;

/** summary.json: indented by two blanks, small objects on one line. The same summary gives the same bytes. */
export function renderJson(summary: Summary): string {
  return `${write(summary, '')}\n`;
}

function write(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item): [string, unknown] => ['', item])
    : Object.entries(value).map(([key, item]): [string, unknown] => [`${JSON.stringify(key)}: `, item]);
  const [open, close] = isList ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  if (entries.every(([, item]) => typeof item !== 'object' || item === null)) {
    const line = entries.map(([key, item]) => key + JSON.stringify(item)).join(', ');
    if (line.length <= LINE) return isList ? `[${line}]` : `{ ${line} }`;
  }
  const deeper = `${indent}  `;
  const lines = entries.map(([key, item]) => `${deeper}${key}${write(item, deeper)}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
