import type { Plan, Stage } from '@pacecar/protocol';
import { cellStages } from './cell-stages.js';
import { orderCells } from './cells.js';
import type { PlacedConfiguration } from './configurations.js';
import type { Findings } from './findings.js';
import type { Services } from './services.js';
import type { Point } from './properties.js';
import type { PlacedStage } from './stages.js';
import { coordinate } from './sweep.js';

/** The cells of a run in their order. Says what cannot work of stages and services together. */
export function makeCells(
  configurations: readonly PlacedConfiguration[],
  points: readonly { readonly point: Point; readonly stages: readonly PlacedStage[] }[],
  repetitions: number,
  order: Plan['order'],
  services: Services,
  findings: Findings,
): Plan['cells'] {
  const places = orderCells(configurations.length, points.length, repetitions, order);
  const serviceAt = places.map(({ configuration }) => {
    const target = configurations[configuration]?.configuration.target;
    return target?.kind === 'service' ? (target.service ?? null) : null;
  });
  // Cells of one point share their stages: 10,000 cells need no 10,000 copies.
  const coordinates = points.map(({ point }) =>
    Object.fromEntries([...point].map(([name, { text }]) => [name, coordinate(text)])),
  );
  const shared = new Map<string, readonly Stage[]>();
  return places.map((place, index) => {
    const { configuration } = configurations[place.configuration] as PlacedConfiguration;
    const service = serviceAt[index] ?? null;
    const span = {
      first: service === null || serviceAt.indexOf(service) === index,
      last: service === null || serviceAt.lastIndexOf(service) === index,
    };
    const key = `${place.point} ${service === null ? '' : service} ${span.first} ${span.last}`;
    const { stages: placed } = points[place.point] as (typeof points)[number];
    const stages = shared.get(key) ?? cellStages(placed, configuration, services, span, findings);
    shared.set(key, stages);
    return {
      index,
      configuration: configuration.name,
      repetition: place.repetition,
      coordinates: coordinates[place.point] as (typeof coordinates)[number],
      stages,
    };
  });
}
