/**
 * joining   until every seat is taken by a reachable worker whose clock is known
 * arming    a stage: until everyone has its connections open
 * running   until the barrier closes; then the next stage arms
 * stopping  the run has failed or was interrupted: workers drain for a bounded time
 * ending    the outcome stands and everyone is told
 */
export type Phase = 'joining' | 'arming' | 'running' | 'stopping' | 'ending' | 'ended';

/** Anything else is a defect of the core. */
export const PHASE_MOVES: Readonly<Record<Phase, readonly Phase[]>> = {
  joining: ['arming', 'ending'],
  arming: ['running', 'ending'],
  running: ['arming', 'stopping', 'ending'],
  stopping: ['ending'],
  ending: ['ended'],
  ended: [],
};
