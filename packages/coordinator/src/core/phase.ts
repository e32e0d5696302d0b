/**
 * joining   until every seat is taken by a reachable worker whose clock is known
 * arming    a stage: until everyone has its connections open
 * running   until the barrier closes; then the next stage arms. A background stage is passed through at once
 * settling  a stage has closed, and background stages that ran until then drain before the next
 * stopping  the run has failed or was interrupted: workers drain for a bounded time
 * ending    the outcome stands and everyone is told
 *
 * Background stages run on through `arming` and `running` of the stages beside them.
 */
export type Phase = 'joining' | 'arming' | 'running' | 'settling' | 'stopping' | 'ending' | 'ended';

/** Anything else is a defect of the core. */
export const PHASE_MOVES: Readonly<Record<Phase, readonly Phase[]>> = {
  joining: ['arming', 'ending'],
  arming: ['running', 'stopping', 'ending'],
  running: ['arming', 'settling', 'stopping', 'ending'],
  settling: ['arming', 'stopping', 'ending'],
  stopping: ['ending'],
  ending: ['ended'],
  ended: [],
};
