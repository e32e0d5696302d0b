/** One value of a CSV table. null is empty; numbers are written with a dot and no grouping. */
export type Field = string | number | boolean | null;

/** A spreadsheet takes a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180: quoted where it must be. A text that a spreadsheet would run gets an apostrophe in front. */
export function csvField(value: Field): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table with its head; every line ends with CR LF, as RFC 4180 says. */
export function csvTable(head: readonly string[], rows: Iterable<readonly Field[]>): string {
  const lines = [head.map(csvField).join(',')];
  for (const row of rows) lines.push(row.map(csvField).join(','));
  return `${lines.join('\r\n')}\r\n`;
}
