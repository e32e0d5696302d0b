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

/** Whether a table fits into `columns` in one piece. */
export function fits(
  heads: readonly Column[],
  rows: readonly (readonly CellText[])[],
  columns: number,
): boolean {
  return partsThatFit(heads, widthsOf(heads, clipped(heads, rows)), columns).length === 1;
}

/**
 * Lines of an aligned table within `columns`. One that is too wide becomes one table for each group of columns, and
 * as many as it takes where a group is still too wide; each repeats the first column. A line that is empty in one of
 * them is left out there.
 */
export function renderTable(
  heads: readonly Column[],
  rows: readonly (readonly CellText[])[],
  columns: number,
  ink: Ink,
): string[] {
  const texts = clipped(heads, rows);
  const widths = widthsOf(heads, texts);
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
    for (const row of texts)
      if (part.some((index) => (row[index]?.text ?? '') !== ''))
        lines.push(lineOf(part, row, heads, widths, ink));
  }
  return lines;
}

function clipped(heads: readonly Column[], rows: readonly (readonly CellText[])[]): CellText[][] {
  return rows.map((row) =>
    row.map((cell, index) => ({
      ...cell,
      text: clip(cell.text, heads[index]?.most ?? Number.POSITIVE_INFINITY),
    })),
  );
}

function widthsOf(heads: readonly Column[], texts: readonly (readonly CellText[])[]): number[] {
  return heads.map((head, index) =>
    texts.reduce(
      (most, row) => Math.max(most, displayWidth(row[index]?.text ?? '')),
      displayWidth(head.heading),
    ),
  );
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
  return (INDENT + cells.join(GAP)).trimEnd();
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
