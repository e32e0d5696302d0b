import type { Plan } from '@pacecar/protocol';

/** Where a cell stands in a run: indexes into the configurations, the sweep points and the repetitions. */
export interface CellPlace {
  readonly configuration: number;
  readonly point: number;
  readonly repetition: number;
}

/**
 * All cells in the order of the run. Interleaved: the configurations take turns at each sweep point, and all of it is
 * repeated (A B A B). Sequential: each configuration does all it has to, each point with its repetitions (A A B B).
 */
export function orderCells(
  configurations: number,
  points: number,
  repetitions: number,
  order: Plan['order'],
): CellPlace[] {
  const places: CellPlace[] = [];
  if (order === 'interleaved')
    for (let repetition = 0; repetition < repetitions; repetition++)
      for (let point = 0; point < points; point++)
        for (let configuration = 0; configuration < configurations; configuration++)
          places.push({ configuration, point, repetition });
  else
    for (let configuration = 0; configuration < configurations; configuration++)
      for (let point = 0; point < points; point++)
        for (let repetition = 0; repetition < repetitions; repetition++)
          places.push({ configuration, point, repetition });
  return places;
}
