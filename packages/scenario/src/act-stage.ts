import type { ServiceAction, Stage } from '@pacecar/protocol';

export const ARM_MS = 30_000;
/** Beyond being ready: the end of processes that are slow to go, and asking each for its facts. */
export const ACT_GRACE_MS = 60_000;

/** A stage that sends no load, as a plan has it. Group and times are those of its service, once that is known. */
export function actStage(
  name: string,
  kind: 'service' | 'wait',
  group: string,
  what: { readonly action: ServiceAction | null; readonly end: Stage['end'] },
): Stage {
  const { action, end } = what;
  return {
    name,
    kind,
    group,
    workloads: [],
    end,
    ...(action === null ? {} : { action }),
    operationTimeoutMs: ARM_MS,
    connectTimeoutMs: ARM_MS,
    armTimeoutMs: ARM_MS,
    drainMs: 0,
    limitMs: end.kind === 'duration' ? end.durationMs : ACT_GRACE_MS,
    stopWhen: null,
    search: null,
  };
}
