import type { StageSummary } from '../summary/schema.js';

/** `warm-up, steady`, or of a stage with background stages beside it `poll (background)`; null: it ran alone. */
export function besideText({
  background,
  beside,
}: Pick<StageSummary, 'background' | 'beside'>): string | null {
  if (beside.length === 0) return null;
  return beside.map((name) => (background ? name : `${name} (background)`)).join(', ');
}
