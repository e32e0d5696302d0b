import type { Amount, ClosedModel, LanePlace, Workload } from '@pacecar/protocol';

const MS = 1e6;

/**
 * How long after the stage a connection begins to send, ns. Ramps and stairs count the connections of all workers, one
 * of each worker in turn, so that all workers rise together.
 */
export function startsAfterNs(workload: Workload, place: LanePlace): number {
  const { model } = workload;
  if (model.kind === 'open' || model.start.kind === 'together') return 0;
  const { workers, worker, connections, connection } = place;
  if (model.start.kind === 'ramp')
    return Math.round(((connection + worker / workers) / connections) * model.start.durationMs * MS);
  return Math.round(stepOf(model.start, place) * model.start.everyMs * MS);
}

/** On which step a connection begins: 0 are the first ones. Amounts in total are dealt out to the workers in turn. */
function stepOf(stairs: Extract<ClosedModel['start'], { kind: 'staircase' }>, place: LanePlace): number {
  const { workers, worker, connection } = place;
  const everywhere = connection * workers + worker;
  const inAll = (amount: Amount) => (amount.scope === 'total' ? amount.count : amount.count * workers);
  const first = inAll(stairs.first);
  return everywhere < first ? 0 : Math.ceil((everywhere + 1 - first) / inAll(stairs.step));
}
