import type { Refusal } from './driver-port.js';
import type { Lane } from './lane.js';

/** What a lane reports to the stage that it belongs to. */
export interface LaneKeeper {
  /** False once the stage's end has come: nothing new starts. */
  readonly sending: boolean;
  /** Time has come to `nowNs`: intervals and the stage may end. Called once a batch. */
  advance(nowNs: number): void;
  laneOpened(lane: Lane): void;
  laneRefused(lane: Lane, refusal: Refusal): void;
  laneCut(lane: Lane): void;
  /** Nothing is in flight on this lane, and it gives no more operations now. */
  laneIdle(lane: Lane): void;
  /** Its next operation may begin at `atNs`. Not said again before the lane was woken (`isQueued`). */
  laneWaits(lane: Lane, atNs: number): void;
  /** It has done as many operations as its connection may; nothing is in flight. */
  laneWornOut(lane: Lane): void;
}
