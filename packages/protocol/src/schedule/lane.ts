/**
 * The place of one connection among all that share a schedule. A global arrival belongs to one lane: worker by worker
 * first, then connection by connection, so that the operations of two workers alternate instead of coming together.
 */
export interface LanePlace {
  /** Workers that have at least one connection for the schedule; `worker` counts among these, from 0. */
  readonly workers: number;
  readonly worker: number;
  /** Connections of this worker, over all of its threads. Other workers may have other numbers. */
  readonly connections: number;
  readonly connection: number;
}

/** Every how many global arrivals this lane has one: the lane's rate is the global one divided by it. */
export function laneCount(lane: LanePlace): number {
  return lane.workers * lane.connections;
}

/** The global arrival that is this lane's j-th, both from 0. Over all lanes each global arrival stands once. */
export function laneArrival(lane: LanePlace, j: number): number {
  return (j * lane.connections + lane.connection) * lane.workers + lane.worker;
}

/** How many of the global arrivals 0..total-1 are this lane's. */
export function laneArrivalCount(lane: LanePlace, total: number): number {
  const first = laneArrival(lane, 0);
  return first >= total ? 0 : Math.floor((total - 1 - first) / laneCount(lane)) + 1;
}
