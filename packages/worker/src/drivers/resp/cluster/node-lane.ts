import type { ChannelLane } from '../../../engine/channel-lane.js';
import type { Refusal } from '../../../engine/driver-port.js';
import type { Lane } from '../../../engine/lane.js';
import type { OperationStream } from '../../../engine/operation-stream.js';

/** What the channel of a whole cluster wants to know of the connection to one node. */
export interface NodeOwner {
  /** An operation was answered, and is not said again. */
  ended(slot: number): void;
  opened(): void;
  refused(refusal: Refusal): void;
  cut(nowNs: number): void;
}

/** A lane as the connection to one node sees it: its operations are the lane's own, and who gets which is not its to say. */
export class NodeLane implements ChannelLane {
  readonly slot = 0;
  readonly depth: number;
  readonly stream: OperationStream;
  readonly #lane: Lane;
  readonly #owner: NodeOwner;

  constructor(lane: Lane, owner: NodeOwner) {
    this.#lane = lane;
    this.#owner = owner;
    this.depth = lane.depth;
    this.stream = lane.stream;
  }

  get inFlight(): number {
    return this.#lane.inFlight;
  }

  take(): boolean {
    return false;
  }

  wrote(bytes: number): void {
    this.#lane.wrote(bytes);
  }

  wroteIn(slot: number, bytes: number): void {
    this.#lane.wroteIn(slot, bytes);
  }

  operationIn(slot: number): number {
    return this.#lane.operationIn(slot);
  }

  keyIn(slot: number): number {
    return this.#lane.keyIn(slot);
  }

  batchKeyIn(slot: number, index: number): number {
    return this.#lane.batchKeyIn(slot, index);
  }

  fieldIn(slot: number): number {
    return this.#lane.fieldIn(slot);
  }

  begin(nowNs: number): void {
    this.#lane.begin(nowNs);
  }

  succeed(slot: number, miss: boolean, bytes: number): void {
    this.#owner.ended(slot);
    this.#lane.succeed(slot, miss, bytes);
  }

  succeedItems(slot: number, hits: number, misses: number, bytes: number): void {
    this.#owner.ended(slot);
    this.#lane.succeedItems(slot, hits, misses, bytes);
  }

  fail(slot: number, kind: string, bytes: number): void {
    this.#owner.ended(slot);
    this.#lane.fail(slot, kind, bytes);
  }

  end(): void {
    this.#lane.end();
  }

  opened(): void {
    this.#owner.opened();
  }

  refused(refusal: Refusal): void {
    this.#owner.refused(refusal);
  }

  cut(nowNs: number): void {
    this.#owner.cut(nowNs);
  }
}
