import type { Stage } from './plan.js';
import { plainAction } from './plan/action.js';
import type { Keys } from './plan/keys.js';
import { CLOSED_MODEL, RECONNECT } from './plan/model.js';
import type { Workload } from './plan/workload.js';

/**
 * A workload with the least of everything: one thread with one connection of depth 1 on each worker, which gets values
 * of 100 bytes under the keys 0 to 999, one after the other.
 */
export function plainWorkload(
  changes: Partial<Omit<Workload, 'keys'>> & { readonly keys?: Partial<Keys> } = {},
): Workload {
  return {
    name: 'main',
    threads: { count: 1, scope: 'worker' },
    connections: { count: 1, scope: 'worker' },
    depth: 1,
    mix: [plainAction('get', 1)],
    mixMode: 'random',
    values: { size: { kind: 'fixed', bytes: 100 }, content: { kind: 'printable' } },
    records: null,
    checkValues: false,
    model: CLOSED_MODEL,
    reconnect: RECONNECT,
    ...changes,
    keys: {
      minimum: 0,
      maximum: 999,
      prefix: '',
      suffix: '',
      order: 'numeric',
      width: 0,
      distribution: { kind: 'uniform' },
      ...changes.keys,
    },
  };
}

/** A stage of one plain workload for one second, with limits that suit one machine. */
export function plainStage(changes: Partial<Stage> = {}): Stage {
  return {
    name: 'measure',
    kind: 'measure',
    group: 'clients',
    workloads: changes.workloads ?? [plainWorkload()],
    end: { kind: 'duration', durationMs: 1_000 },
    operationTimeoutMs: 1_000,
    connectTimeoutMs: 1_000,
    armTimeoutMs: 10_000,
    drainMs: 1_000,
    limitMs: 60_000,
    stopWhen: null,
    search: null,
    ...changes,
  };
}
