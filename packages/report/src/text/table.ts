import type { Ink, Tone } from './ink.js';
import { clip, displayWidth } from './width.js';

export interface Column {
  readonly heading: string;
  readonly align: 'left' | 'right';
  /** Columns of one group stay together when a table must be split. */
  readonly group: number;
  /** Texts are cut to this many characters. */
  readonly most?: number;
}

export interface CellText {
  readonly text: string;
  readonly tone?: Tone;
}

const INDENT = '  ';
const GAP = '  ';

/**
 * Lines of an aligned table within `columns`. One that is too wide becomes one table for each group of columns, and
 * as many as it takes where a group is still too wide; each repeats the first column.
 */
export function renderTable(
  heads: readonly Column[],
  rows: readonly (readonly CellText[])[],
  columns: number,
  ink: Ink,
): string[] {
  const texts = rows.map((row) =>
    row.map((cell, index) => ({
      ...cell,
      text: clip(cell.text, heads[index]?.most ?? Number.POSITIVE_INFINITY),
    })),
  );
  const widths = heads.map((head, index) =>
    Math.max(displayWidth(head.heading), ...texts.map((row) => displayWidth(row[index]?.text ?? ''))),
  );
  const lines: string[] = [];
  for (const part of partsThatFit(heads, widths, columns)) {
    lines.push(
      ink(
        'dim',
        lineOf(
          part,
          heads.map((head) => ({ text: head.heading })),
          heads,
          widths,
          (_, text) => text,
        ),
      ),
    );
    for (const row of texts) lines.push(lineOf(part, row, heads, widths, ink));
  }
  return lines;
}

function lineOf(
  part: readonly number[],
  row: readonly CellText[],
  heads: readonly Column[],
  widths: readonly number[],
  ink: Ink,
): string {
  const cells = part.map((index, position) => {
    const { text, tone } = row[index] ?? { text: '' };
    const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(text)));
    const inked = ink(tone ?? 'plain', text);
    if (heads[index]?.align === 'right') return blanks + inked;
    return position === part.length - 1 ? inked : inked + blanks;
  });
  return INDENT + cells.join(GAP);
}

function partsThatFit(heads: readonly Column[], widths: readonly number[], columns: number): number[][] {
  const all = heads.map((_, index) => index);
  const widthOf = (part: readonly number[]) =>
    INDENT.length +
    part.reduce((sum, index) => sum + (widths[index] ?? 0), 0) +
    GAP.length * (part.length - 1);
  if (widthOf(all) <= columns) return [all];
  const parts: number[][] = [];
  for (const group of new Set(heads.slice(1).map((head) => head.group))) {
    let part = [0];
    for (const index of all.slice(1)) {
      if (heads[index]?.group !== group) continue;
      if (part.length > 1 && widthOf([...part, index]) > columns) {
        parts.push(part);
        part = [0];
      }
      part.push(index);
    }
    parts.push(part);
  }
  return parts;
}
