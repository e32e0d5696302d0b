import type { Operands } from '../../../engine/operands.js';
import type { Lane } from '../../../engine/lane.js';
import { errorKindOf } from '../../error-kind.js';
import type { WireOptions } from '../../wire/wire-channel.js';
import { commandBytes } from '../reply-value.js';
import { ScriptChannel, type ScriptWorkload } from '../script-channel.js';
import { NodeLane, type NodeOwner } from './node-lane.js';

const ASKING = commandBytes(['ASKING']);
/** Answers that say where else, or when, an operation is to be said. */
const ELSEWHERE = /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|LOADING)\b/;

export interface ClusterNodeOwner extends NodeOwner {
  /** An operation was answered by such an answer, with `bytes` of it. */
  elsewhere(slot: number, answer: string, bytes: number): void;
  pump(nowNs: number): void;
}

/** The connection to one node of a cluster. What is said on it is chosen by the channel of the whole. */
export class NodeChannel extends ScriptChannel {
  /** As the map of the cluster numbers it. */
  readonly number: number;
  /** Slots that wait for the connection. */
  readonly parked: number[] = [];
  backOffMs = 0;
  state: 'closed' | 'opening' | 'open' | 'waiting' = 'closed';
  readonly #owner: ClusterNodeOwner;
  /** By slot: an answer to ASKING comes before that to its operation. */
  readonly #asks: Uint8Array;
  #isDirty = false;

  constructor(
    number: number,
    lane: Lane,
    workload: ScriptWorkload,
    options: WireOptions,
    owner: ClusterNodeOwner,
  ) {
    super(new NodeLane(lane, owner), workload, options);
    this.number = number;
    this.#owner = owner;
    this.#asks = new Uint8Array(lane.depth);
  }

  /** Says an operation and returns its bytes; it leaves with `flush`. */
  say(slot: number, operands: Operands, isAsking: boolean): number {
    this.#isDirty = true;
    if (isAsking) {
      this.#asks[slot] = 1;
      this.sayBytes(ASKING);
    }
    const bytes = this.beginFirst(slot, operands);
    this.isFull();
    return isAsking ? bytes + ASKING.length : bytes;
  }

  flush(nowNs: number): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    super.pump(nowNs);
  }

  /** Whether a walk over the node's keys in a slot is through. */
  hasScannedAll(slot: number): boolean {
    return this.isScanAtStart(slot);
  }

  override close(): void {
    super.close();
    this.state = 'closed';
  }

  override pump(nowNs: number): void {
    // Second steps may be due, or what was blocked goes on.
    this.#isDirty = true;
    this.#owner.pump(nowNs);
  }

  override item(depth: number, type: number, value: number): void {
    if (!this.#isAskingNow) super.item(depth, type, value);
  }

  override reply(type: number, value: number, bytes: number): void {
    if (this.#isAskingNow) this.#asks[this.awaited] = 0;
    else super.reply(type, value, bytes);
  }

  override error(word: string, bytes: number): void {
    if (this.#isAskingNow) this.#asks[this.awaited] = 0;
    else super.error(word, bytes);
  }

  protected override renew(): void {
    super.renew();
    this.#asks.fill(0);
    this.#isDirty = false;
  }

  protected override failureOf(word: string): string {
    return ELSEWHERE.test(word) ? word : errorKindOf(word);
  }

  protected override fail(slot: number, failure: string, bytes: number): void {
    if (ELSEWHERE.test(failure)) this.#owner.elsewhere(slot, failure, bytes);
    else super.fail(slot, failure, bytes);
  }

  get #isAskingNow(): boolean {
    const slot = this.awaited;
    return slot >= 0 && this.#asks[slot] === 1;
  }
}
