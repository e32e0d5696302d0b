import { asPacecarError, PacecarError, type Target } from '@pacecar/protocol';
import { addressOf } from '../../target-refusal.js';
import { Conversation } from '../conversation.js';
import type { RespAccess } from '../login.js';
import type { ReplyValue } from '../reply-value.js';
import { SLOTS } from './hash-slot.js';

/** No node serves a slot. */
export const NOBODY = 0xffff;
/** The slots are not asked for more often than this. */
const REFRESH_EVERY_MS = 100;

/** Which node serves which slot, for all connections of a thread. Nodes are numbered as they are met. */
export class ClusterMap {
  /** Told after the slots have changed. */
  readonly listeners = new Set<() => void>();
  readonly nodes: Target[] = [];
  /** Numbers of the nodes that serve slots. */
  masters: readonly number[] = [];
  readonly #access: RespAccess;
  readonly #seeds: readonly Target[];
  readonly #timeoutMs: number;
  readonly #numbers = new Map<string, number>();
  readonly #master = new Uint16Array(SLOTS).fill(NOBODY);
  #replicas = new Map<number, readonly number[]>();
  #ready: Promise<void> | null = null;
  #isAsking = false;
  #isWanted = false;
  #turn = 0;

  constructor(access: RespAccess, timeoutMs: number) {
    this.#access = access;
    this.#timeoutMs = timeoutMs;
    this.#seeds = seedsOf(access.target);
  }

  /** Asks for the slots if nobody has yet. Throws PacecarError if no node can say, or a slot has no master. */
  async ready(): Promise<void> {
    this.#ready ??= this.#load().catch((thrown: unknown) => {
      this.#ready = null;
      throw thrown;
    });
    return this.#ready;
  }

  masterOf(slot: number): number {
    return this.#master[slot] as number;
  }

  /** One of the replicas of a slot's master, `which` modulo their number; the master if it has none. */
  replicaOf(slot: number, which: number): number {
    const master = this.#master[slot] as number;
    const replicas = this.#replicas.get(master) ?? [];
    return replicas[which % replicas.length] ?? master;
  }

  /** All nodes that operations go to. */
  servers(withReplicas: boolean): number[] {
    const replicas = withReplicas ? this.masters.flatMap((master) => this.#replicas.get(master) ?? []) : [];
    return [...new Set([...this.masters, ...replicas])];
  }

  /** The number of the node at an address as redirects write it: `host:port`, without a host that of `asked`. */
  nodeAt(address: string, asked: number): number {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
    return this.#number(
      host === '' ? (this.nodes[asked] as Target).host : host,
      Number(address.slice(colon + 1)),
    );
  }

  /** A node said that a slot has moved. */
  moved(slot: number, node: number): void {
    if (slot >= 0 && slot < SLOTS) this.#master[slot] = node;
    this.refresh();
  }

  /** Asks for the slots anew, one question at a time, and not too often. */
  refresh(): void {
    this.#isWanted = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#isWanted = false;
    const next = () => {
      this.#isAsking = false;
      if (this.#isWanted && this.listeners.size > 0) this.refresh();
    };
    const rest = () => setTimeout(next, REFRESH_EVERY_MS).unref();
    // What cannot be asked now is asked again when the next operation fails.
    this.#ask().then(
      () => {
        for (const listener of this.listeners) listener();
        rest();
      },
      () => rest(),
    );
  }

  async #load(): Promise<void> {
    await this.#ask();
    const missing = this.#master.filter((node) => node === NOBODY).length;
    if (missing > 0)
      throw new PacecarError(
        'TARGET_UNREACHABLE',
        `the cluster at ${addressOf(this.#access.target)} serves ${SLOTS - missing} of ${SLOTS} slots; ` +
          'give every slot a master (redis-cli --cluster check)',
      );
  }

  /** Of one node after the other, beginning with another one each time. Throws what the first one failed by. */
  async #ask(): Promise<void> {
    const known = this.masters.length > 0 ? this.masters.map((node) => this.nodes[node] as Target) : [];
    const candidates = [
      ...known.map((_, at) => known[(at + this.#turn) % known.length] as Target),
      ...this.#seeds,
    ];
    this.#turn++;
    let failure: PacecarError | null = null;
    for (const target of candidates) {
      try {
        this.#take(await slotsOf({ ...this.#access, target }, this.#timeoutMs), target);
        return;
      } catch (thrown) {
        failure ??= asPacecarError(thrown);
      }
    }
    throw failure ?? new PacecarError('TARGET_UNREACHABLE', 'the cluster has no address');
  }

  /** Ranges as CLUSTER SLOTS gives them: first and last slot, the master, its replicas. */
  #take(ranges: readonly ReplyValue[], asked: Target): void {
    const served = new Uint16Array(SLOTS).fill(NOBODY);
    const replicas = new Map<number, readonly number[]>();
    for (const range of ranges) {
      if (range.kind !== 'array') continue;
      const [first, last, ...nodes] = range.items;
      const [master, ...others] = nodes.map((node) => this.#numberOf(node, asked));
      if (first?.kind !== 'number' || last?.kind !== 'number' || master === undefined) continue;
      served.fill(master, first.value, last.value + 1);
      replicas.set(master, others);
    }
    this.#master.set(served);
    this.#replicas = replicas;
    this.masters = [...replicas.keys()];
  }

  #numberOf(node: ReplyValue, asked: Target): number {
    const [host, port] = node.kind === 'array' ? node.items : [];
    // A node that does not know its own address is the one that was asked.
    const name = host?.kind === 'text' && host.text !== '' && host.text !== '?' ? host.text : asked.host;
    return this.#number(name, port?.kind === 'number' ? port.value : asked.port);
  }

  #number(host: string, port: number): number {
    const name = `${host}:${port}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.nodes.length;
    this.nodes.push({ ...this.#access.target, host, port });
    this.#numbers.set(name, number);
    return number;
  }
}

/** Where a cluster is first looked for. */
export function seedsOf(target: Target): readonly Target[] {
  const { addresses, nodes, ...rest } = target;
  const places = nodes ?? addresses ?? [target];
  return places.map(({ host, port }) => ({ ...rest, host, port, ...(nodes === undefined ? {} : { nodes }) }));
}

async function slotsOf(access: RespAccess, timeoutMs: number): Promise<readonly ReplyValue[]> {
  const conversation = new Conversation(access, timeoutMs);
  try {
    await conversation.open();
    const reply = await conversation.ask(['CLUSTER', 'SLOTS']);
    if (reply.kind === 'array') return reply.items;
    const said = reply.kind === 'error' ? reply.text : `a ${reply.kind}`;
    throw new PacecarError(
      'TARGET_PROTOCOL',
      `the target ${addressOf(access.target)} is no node of a cluster: it answered ${said}; ` +
        'leave out `mode: cluster`, or name a node of one',
    );
  } finally {
    conversation.close();
  }
}
