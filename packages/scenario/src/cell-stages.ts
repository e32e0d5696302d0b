import {
  type Configuration,
  firstInsertedKey,
  insertsKeys,
  PacecarError,
  type ServiceAction,
  sendsLoad,
  type Stage,
  stageNumber,
} from '@pacecar/protocol';
import { ACT_GRACE_MS, actStage, ARM_MS } from './act-stage.js';
import { OWN_SERVICE } from './acts.js';
import type { Findings } from './findings.js';
import { shown } from './quantity/decimal.js';
import type { Services } from './services.js';
import type { PlacedStage } from './stages.js';

/** A library may have to be fetched, the first time. */
const START_ARM_MS = 300_000;

/** Which cells of the run a configuration's service lives through. */
export interface CellSpan {
  /** Whether this is the first, or the last, of the run that uses it. */
  readonly first: boolean;
  readonly last: boolean;
}

/**
 * The stages of a cell of one configuration: what is said of its service without a name, and its start and stop where
 * nobody has written them. Says what cannot work.
 */
export function cellStages(
  placed: readonly PlacedStage[],
  configuration: Configuration,
  services: Services,
  span: CellSpan,
  findings: Findings,
): readonly Stage[] {
  const own = configuration.target.kind === 'service' ? (configuration.target.service ?? null) : null;
  const stages = placed.flatMap(({ stage, path }) => {
    const fitted = fit(stage, own, services);
    if (fitted !== null) return [{ stage: fitted, path }];
    findings.of(
      path,
      `does not say which service it means, and the configuration ${shown(configuration.name)} has none; add the name`,
    );
    return [];
  });
  const begins = stages.some(({ stage }) => stage.action?.do === 'start' && stage.action.service === own);
  const keeps = own !== null && services.placed.get(own)?.keep === true;
  const running = new Set<string>();
  const starts = own !== null && !begins && (!keeps || span.first);
  if (own !== null && !begins) running.add(own);
  for (const { stage, path } of stages) check(stage, path, own, running, findings);
  const left = [...running].filter((name) => !(services.placed.get(name)?.keep === true && !span.last));
  const names = new Set(stages.map(({ stage }) => stage.name));
  const before = starts ? [implicit({ do: 'start', service: own }, names, services)] : [];
  const all = [
    ...before,
    ...stages.map(({ stage }) => stage),
    ...left.map((service) => implicit({ do: 'stop', service, how: 'graceful' }, names, services)),
  ];
  for (const [index, { stage, path }] of stages.entries())
    checkInserts(stage, path, lastNumber(all, before.length + index), findings);
  return all;
}

/** The number of a stage, or of the last probe that its search may make. */
function lastNumber(stages: readonly Stage[], index: number): number {
  return stageNumber({ stages }, { stage: index + 1, probe: null }) - 1;
}

/** Whether there is room below 2^53 for the keys that the stage inserts past its range. */
function checkInserts(stage: Stage, path: string, number: number, findings: Findings): void {
  if (stage.end.kind === 'keys') return;
  for (const [index, workload] of stage.workloads.entries()) {
    if (!insertsKeys(workload)) continue;
    try {
      firstInsertedKey(stage.workloads, number, index);
    } catch (error) {
      if (!(error instanceof PacecarError)) throw error;
      findings.of(path, error.message);
      return;
    }
  }
}

/** Null: it means the cell's own service, and there is none. */
function fit(stage: Stage, own: string | null, services: Services): Stage | null {
  const { action } = stage;
  if (action === undefined) return stage;
  const name = action.service === OWN_SERVICE ? own : action.service;
  return name === null ? null : serviceStage(stage, { ...action, service: name }, services);
}

function serviceStage(stage: Stage, action: ServiceAction, services: Services): Stage {
  const service = services.placed.get(action.service)?.service;
  return {
    ...stage,
    action,
    group: service?.group ?? stage.group,
    armTimeoutMs: action.do === 'start' ? START_ARM_MS : ARM_MS,
    limitMs: (service?.readyWithinMs ?? 0) + ACT_GRACE_MS,
  };
}

function implicit(action: ServiceAction, names: Set<string>, services: Services): Stage {
  const word = `service-${action.do}`;
  let name = word;
  for (let number = 2; names.has(name); number++) name = `${word}-${number}`;
  names.add(name);
  return serviceStage(actStage(name, 'service', '', { action, end: { kind: 'done' } }), action, services);
}

/** Whether the services that a stage needs run by then. */
function check(
  { action, kind }: Stage,
  path: string,
  own: string | null,
  running: Set<string>,
  findings: Findings,
): void {
  if (action === undefined) {
    if (sendsLoad({ kind }) && own !== null && !running.has(own))
      findings.of(path, `sends load to the service ${shown(own)}, which does not run then; start it before`);
    return;
  }
  const { service } = action;
  if (action.do === 'start') {
    if (running.has(service)) findings.of(path, `starts the service ${shown(service)}, which runs already`);
    running.add(service);
    return;
  }
  if (!running.has(service))
    findings.of(path, `is of the service ${shown(service)}, which does not run then; start it before`);
  if (action.do === 'stop') running.delete(service);
}
