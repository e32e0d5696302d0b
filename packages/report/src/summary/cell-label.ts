import type { CellSummary, Summary } from './schema.js';

/** Names of all coordinates that cells have, in the order in which they first stand. */
export function coordinateNames(summary: Summary): string[] {
  return [...new Set(summary.cells.flatMap((cell) => Object.keys(cell.coordinates)))];
}

export function hasRepetitions(summary: Summary): boolean {
  return summary.cells.some((cell) => cell.repetition > 0);
}

/** `redis7, size=100, repetition 2`: as much as tells the cells of this run apart. */
export function cellLabel(summary: Summary, cell: CellSummary): string {
  const parts = [cell.configuration];
  for (const [name, value] of Object.entries(cell.coordinates)) parts.push(`${name}=${value}`);
  if (hasRepetitions(summary)) parts.push(`repetition ${cell.repetition + 1}`);
  return parts.join(', ');
}
