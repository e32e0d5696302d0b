import { asPacecarError, type Reconnect, type Target } from '@pacecar/protocol';
import type { Channel, EngineClock, Refusal } from '../../../engine/driver-port.js';
import type { Lane } from '../../../engine/lane.js';
import type { Operands } from '../../../engine/operands.js';
import type { WireOptions } from '../../wire/wire-channel.js';
import type { ScriptWorkload } from '../script-channel.js';
import { type ClusterMap, NOBODY } from './cluster-map.js';
import { NodeChannel } from './node-channel.js';
import { OperandStore } from './operand-store.js';
import type { Route } from './route.js';

/** An answer that the key cannot be served now is followed by a pause. */
const RETRY_AFTER_MS = 20;
/** An operation for a node that cannot be reached. */
const UNREACHABLE = 'UNREACHABLE';
const NOWHERE = -1;

/** What all channels of a workload share. */
export interface ClusterWorkload {
  readonly clock: EngineClock;
  readonly scripts: ScriptWorkload;
  /** By index into the mix. */
  readonly routes: readonly Route[];
  readonly map: ClusterMap;
  readonly readsFromReplicas: boolean;
  readonly reconnect: Reconnect;
  readonly wireOptions: (target: Target) => WireOptions;
}

/**
 * One connection of the plan to a whole cluster: a connection to each of its nodes, with `depth` operations in flight on
 * all of them together. An operation is one slot of the lane from its first sending to its last answer, whoever gives
 * it; answers that send it elsewhere are counted beside it.
 */
export class ClusterChannel implements Channel {
  readonly #lane: Lane;
  readonly #workload: ClusterWorkload;
  readonly #store: OperandStore;
  /** By number. */
  readonly #nodes: (NodeChannel | undefined)[] = [];
  /** By slot: the node that has the operation. */
  readonly #nodeOf: Int32Array;
  /** By slot: whose turn it is in walks over all keys. */
  readonly #walks: Int32Array;
  /** Slots that are said again, where, and whether ASKING goes before. */
  #again: number[] = [];
  readonly #againAt: Int32Array;
  readonly #asks: Uint8Array;
  /** Slots that wait for the pause to be over. */
  #resting: number[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #listener = () => this.#rerouteParked();
  #turn = 0;
  #state: 'closed' | 'opening' | 'open' = 'closed';
  /** Once all nodes have been there, some may be missing when it is opened anew. */
  #wasOpen = false;

  constructor(lane: Lane, workload: ClusterWorkload) {
    const { depth } = lane;
    this.#lane = lane;
    this.#workload = workload;
    this.#store = new OperandStore(depth, lane.stream);
    this.#nodeOf = new Int32Array(depth).fill(NOWHERE);
    this.#walks = new Int32Array(depth).fill(lane.index);
    this.#againAt = new Int32Array(depth);
    this.#asks = new Uint8Array(depth);
  }

  // --- for the engine ---

  open(): void {
    this.close();
    const { map, readsFromReplicas } = this.#workload;
    const turn = this.#turn;
    this.#state = 'opening';
    map.ready().then(
      () => {
        if (turn !== this.#turn) return;
        map.listeners.add(this.#listener);
        for (const number of map.servers(readsFromReplicas)) this.#connect(this.#node(number));
      },
      (thrown: unknown) => {
        if (turn === this.#turn) this.#refuse(asPacecarError(thrown));
      },
    );
  }

  pump(nowNs: number): void {
    if (this.#state !== 'open') return;
    this.#sayAgain();
    const lane = this.#lane;
    const { stream } = lane;
    while (lane.take(nowNs)) {
      const { slot } = lane;
      this.#store.remember(slot, stream);
      lane.wrote(this.#hand(slot, this.#numberFor(slot), stream, false));
    }
    for (const node of this.#nodes) if (node?.state === 'open') node.flush(nowNs);
  }

  close(): void {
    this.#turn++;
    this.#state = 'closed';
    this.#workload.map.listeners.delete(this.#listener);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const node of this.#nodes) {
      node?.close();
      if (node !== undefined) node.parked.length = 0;
    }
    this.#nodeOf.fill(NOWHERE);
    this.#again = [];
    this.#resting = [];
  }

  // --- nodes ---

  #node(number: number): NodeChannel {
    const known = this.#nodes[number];
    if (known !== undefined) return known;
    const { map, scripts, wireOptions } = this.#workload;
    const node: NodeChannel = new NodeChannel(
      number,
      this.#lane,
      scripts,
      wireOptions(map.nodes[number] as Target),
      {
        ended: (slot) => this.#ended(slot, node),
        opened: () => this.#opened(node),
        refused: (refusal) => this.#refused(node, refusal),
        cut: (nowNs) => this.#cut(node, nowNs),
        elsewhere: (slot, answer, bytes) => this.#elsewhere(slot, answer, bytes, node),
        pump: (nowNs) => this.pump(nowNs),
      },
    );
    this.#nodes[number] = node;
    return node;
  }

  #connect(node: NodeChannel): void {
    node.open();
    node.state = 'opening';
  }

  #opened(node: NodeChannel): void {
    node.state = 'open';
    node.backOffMs = 0;
    if (this.#state === 'open') {
      this.#unpark(node);
      this.pump(this.#workload.clock.nowNs());
      return;
    }
    if (!this.#wasOpen && this.#nodes.some((other) => other?.state === 'opening')) return;
    this.#state = 'open';
    this.#wasOpen = true;
    this.#lane.opened();
  }

  #refused(node: NodeChannel, refusal: Refusal): void {
    if (this.#state === 'opening') {
      const others = this.#nodes.some((other) => other?.state === 'opening');
      if (!this.#wasOpen || !others) {
        this.#refuse(refusal);
        return;
      }
    }
    this.#workload.map.refresh();
    this.#connectLater(node);
    if (this.#state !== 'open') return;
    const nowNs = this.#workload.clock.nowNs();
    this.#lane.begin(nowNs);
    for (const slot of node.parked.splice(0)) {
      const number = this.#numberFor(slot);
      if (number !== node.number) this.#sayAt(slot, number, false);
      else {
        this.#nodeOf[slot] = NOWHERE;
        this.#lane.fail(slot, UNREACHABLE, 0);
      }
    }
    this.#lane.end();
    this.pump(nowNs);
  }

  #refuse(refusal: Refusal): void {
    this.close();
    this.#lane.refused(refusal);
  }

  /** What was on its way is lost; what is for other nodes goes on. */
  #cut(node: NodeChannel, nowNs: number): void {
    this.#workload.map.refresh();
    this.#connect(node);
    if (this.#state !== 'open') return;
    this.#lane.begin(nowNs);
    for (let slot = 0; slot < this.#nodeOf.length; slot++) {
      if (this.#nodeOf[slot] !== node.number) continue;
      this.#nodeOf[slot] = NOWHERE;
      this.#lane.abandon(slot);
    }
    this.#lane.end();
    this.pump(nowNs);
  }

  /** Each attempt that failed is followed by a longer pause. A node that serves nothing is not tried again. */
  #connectLater(node: NodeChannel): void {
    const { reconnect, map, readsFromReplicas } = this.#workload;
    const longest = Math.max(reconnect.firstBackOffMs, reconnect.longestBackOffMs);
    node.backOffMs = Math.min(longest, Math.max(1, reconnect.firstBackOffMs, node.backOffMs * 2));
    node.state = 'waiting';
    this.#after(node.backOffMs, () => {
      node.state = 'closed';
      if (node.parked.length > 0 || map.servers(readsFromReplicas).includes(node.number)) this.#connect(node);
    });
  }

  #after(milliseconds: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, milliseconds);
    this.#timers.add(timer);
  }

  // --- operations ---

  /** The node that the operation in a slot is for; NOBODY: there is none now. */
  #numberFor(slot: number): number {
    const { routes, map, readsFromReplicas } = this.#workload;
    const lane = this.#lane;
    const route = routes[lane.operationIn(slot)] as Route;
    if (route.to === 'key') {
      const hash = route.slots.of(lane.keyIn(slot));
      return route.reads && readsFromReplicas ? map.replicaOf(hash, lane.index) : map.masterOf(hash);
    }
    if (route.to === 'slot') return map.masterOf(route.slot);
    return map.masters[(this.#walks[slot] as number) % map.masters.length] ?? NOBODY;
  }

  /** Says an operation at a node, or has it wait until that can be; returns its bytes. */
  #hand(slot: number, number: number, operands: Operands, isAsking: boolean): number {
    if (number === NOBODY) {
      this.#workload.map.refresh();
      this.#rest(slot);
      return 0;
    }
    this.#nodeOf[slot] = number;
    const node = this.#nodes[number] ?? this.#node(number);
    if (node.state === 'open') return node.say(slot, operands, isAsking);
    this.#asks[slot] = isAsking ? 1 : 0;
    node.parked.push(slot);
    if (node.state === 'closed') this.#connect(node);
    return 0;
  }

  #sayAt(slot: number, number: number, isAsking: boolean): void {
    this.#nodeOf[slot] = NOWHERE;
    this.#againAt[slot] = number;
    this.#asks[slot] = isAsking ? 1 : 0;
    this.#again.push(slot);
  }

  #sayAgain(): void {
    if (this.#again.length === 0) return;
    const slots = this.#again;
    this.#again = [];
    for (const slot of slots) {
      const isAsking = this.#asks[slot] === 1;
      const bytes = this.#hand(slot, this.#againAt[slot] as number, this.#store.recall(slot), isAsking);
      this.#lane.wroteIn(slot, bytes);
    }
  }

  #unpark(node: NodeChannel): void {
    for (const slot of node.parked.splice(0)) this.#sayAt(slot, node.number, this.#asks[slot] === 1);
  }

  /** The slots are served by others now: what waits for a node that is not there may not have to. */
  #rerouteParked(): void {
    if (this.#state !== 'open') return;
    let any = false;
    for (const node of this.#nodes) {
      if (node === undefined || node.parked.length === 0) continue;
      for (const slot of node.parked.splice(0)) {
        const number = this.#numberFor(slot);
        if (number === node.number || this.#asks[slot] === 1) node.parked.push(slot);
        else {
          any = true;
          this.#sayAt(slot, number, false);
        }
      }
    }
    if (any) this.pump(this.#workload.clock.nowNs());
  }

  #ended(slot: number, node: NodeChannel): void {
    this.#nodeOf[slot] = NOWHERE;
    const route = this.#workload.routes[this.#lane.operationIn(slot)] as Route;
    if (route.to === 'masters' && node.hasScannedAll(slot)) (this.#walks[slot] as number)++;
  }

  #elsewhere(slot: number, answer: string, bytes: number, node: NodeChannel): void {
    const { map } = this.#workload;
    const [word, hash = '', address = ''] = answer.split(' ');
    this.#nodeOf[slot] = NOWHERE;
    if (word !== 'MOVED' && word !== 'ASK') {
      this.#lane.note(slot, 'RETRIED', 1, bytes);
      map.refresh();
      this.#rest(slot);
      return;
    }
    this.#lane.note(slot, word, 1, bytes);
    const number = map.nodeAt(address, node.number);
    if (word === 'MOVED') map.moved(Number(hash), number);
    this.#sayAt(slot, number, word === 'ASK');
  }

  #rest(slot: number): void {
    this.#nodeOf[slot] = NOWHERE;
    this.#resting.push(slot);
    if (this.#resting.length > 1) return;
    this.#after(RETRY_AFTER_MS, () => {
      const slots = this.#resting;
      this.#resting = [];
      for (const each of slots) this.#sayAt(each, this.#numberFor(each), false);
      this.pump(this.#workload.clock.nowNs());
    });
  }
}
