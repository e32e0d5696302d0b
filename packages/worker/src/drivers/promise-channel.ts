import { asPacecarError, type PacecarError } from '@pacecar/protocol';
import type { Channel, EngineClock } from '../engine/driver-port.js';
import type { Lane } from '../engine/lane.js';
import type { ClientAction, Outcome } from './client-action.js';
import { ClientTask, type WorkloadData } from './client-task.js';
import type { LocalTurn } from './local-turn.js';

/**
 * One client of a library, as a promise channel uses it. It never connects anew by itself and never sends a command
 * twice: after a cut the engine makes a new one.
 */
export interface PromiseClient {
  /** Connects and logs in. Rejects with why it could not. */
  connect(): Promise<void>;
  /**
   * The kind of an error that the target answered with, and its size added to the task's received bytes; null if the
   * connection failed instead.
   */
  errorKind(error: unknown, task: ClientTask): string | null;
  /** Drops the connection at once. */
  disconnect(): void;
}

/** What all channels of a workload share. */
export interface PromiseWorkload<Client extends PromiseClient> {
  readonly clock: EngineClock;
  readonly data: WorkloadData;
  readonly localTurn: LocalTurn;
  /** By index into the mix. */
  readonly actions: readonly ClientAction<Client>[];
  /** Of each: it hits or misses as a whole; else by item. */
  readonly canMiss: readonly boolean[];
  /** Makes a client; `lost` is called once if its connection ends by itself. */
  readonly createClient: (lost: () => void) => Client;
  readonly connectTimeoutMs: number;
  /** What to say when neither success nor an error came in time. */
  readonly timedOut: () => PacecarError;
}

/** Whoever is connected: whatever comes of a client that was dropped finds that it is not the present one. */
interface Turn<Client> {
  readonly client: Client;
  /** By slot, made when first needed. A dropped client's own promises may still look at theirs. */
  readonly tasks: ClientTask[];
}

/** A channel over any client library with promises: as many operations are outstanding as the lane is deep. */
export class PromiseChannel<Client extends PromiseClient> implements Channel {
  readonly #lane: Lane;
  readonly #workload: PromiseWorkload<Client>;
  #turn: Turn<Client> | null = null;
  #isOpen = false;
  #connectTimer: NodeJS.Timeout | null = null;
  #isPumping = false;
  /** Of each slot, over all clients. */
  readonly #cursors: unknown[] = [];

  constructor(lane: Lane, workload: PromiseWorkload<Client>) {
    this.#lane = lane;
    this.#workload = workload;
  }

  open(): void {
    this.close();
    const { connectTimeoutMs } = this.#workload;
    const client = this.#workload.createClient(() => this.#lost(turn));
    const turn: Turn<Client> = { client, tasks: [] };
    this.#turn = turn;
    this.#connectTimer = setTimeout(() => this.#refuse(turn, this.#workload.timedOut()), connectTimeoutMs);
    client.connect().then(
      () => this.#opened(turn),
      (error: unknown) => this.#refuse(turn, asPacecarError(error)),
    );
  }

  pump(nowNs: number): void {
    const turn = this.#turn;
    // A client may answer, and so pump, from within `start`.
    if (!this.#isOpen || turn === null || this.#isPumping) return;
    this.#isPumping = true;
    const lane = this.#lane;
    while (this.#isOpen && lane.take(nowNs)) {
      const { slot, stream } = lane;
      const action = this.#workload.actions[stream.operation] as ClientAction<Client>;
      const task = this.#taskIn(turn, slot);
      task.take(stream);
      const answer = started(action, turn.client, task);
      lane.wrote(task.sentBytes);
      const firstBytes = task.sentBytes;
      answer.then(
        (value) => this.#answered(turn, slot, firstBytes, action, value),
        (error: unknown) => this.#failed(turn, slot, firstBytes, error),
      );
    }
    this.#isPumping = false;
  }

  /** After a turn of the event loop. */
  goOn(): void {
    this.pump(this.#workload.clock.nowNs());
  }

  close(): void {
    this.#isOpen = false;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
    const turn = this.#turn;
    this.#turn = null;
    if (turn === null) return;
    turn.tasks.forEach((task, slot) => {
      this.#cursors[slot] = task.cursor;
    });
    turn.client.disconnect();
  }

  #taskIn(turn: Turn<Client>, slot: number): ClientTask {
    const known = turn.tasks[slot];
    if (known !== undefined) return known;
    const made = new ClientTask(this.#workload.data, this.#lane.stream);
    made.cursor = this.#cursors[slot] ?? null;
    turn.tasks[slot] = made;
    return made;
  }

  #opened(turn: Turn<Client>): void {
    if (turn !== this.#turn) return;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
    this.#isOpen = true;
    this.#lane.opened();
  }

  #refuse(turn: Turn<Client>, error: PacecarError): void {
    if (turn !== this.#turn) return;
    this.close();
    this.#lane.refused(error);
  }

  #lost(turn: Turn<Client>): void {
    // While connecting, the promise of `connect` says why.
    if (turn !== this.#turn || !this.#isOpen) return;
    this.close();
    this.#lane.cut(this.#workload.clock.nowNs());
  }

  #answered(
    turn: Turn<Client>,
    slot: number,
    firstBytes: number,
    action: ClientAction<Client>,
    answer: unknown,
  ): void {
    if (turn !== this.#turn) return;
    const nowNs = this.#workload.clock.nowNs();
    this.#lane.begin(nowNs);
    const task = turn.tasks[slot] as ClientTask;
    this.#end(slot, task, firstBytes, action.judge(answer, task, turn.client));
    const { localTurn } = this.#workload;
    if (task.localItems === 0) localTurn.turned();
    else if (!localTurn.mayGoOn(this)) return;
    this.pump(nowNs);
  }

  #failed(turn: Turn<Client>, slot: number, firstBytes: number, error: unknown): void {
    if (turn !== this.#turn) return;
    const task = turn.tasks[slot] as ClientTask;
    const kind = turn.client.errorKind(error, task);
    if (kind === null) {
      this.#lost(turn);
      return;
    }
    const nowNs = this.#workload.clock.nowNs();
    this.#lane.begin(nowNs);
    this.#end(slot, task, firstBytes, { error: kind });
    this.pump(nowNs);
  }

  #end(slot: number, task: ClientTask, firstBytes: number, outcome: Outcome): void {
    const lane = this.#lane;
    const { receivedBytes, localItems } = task;
    // Of the steps after the first.
    if (task.sentBytes > firstBytes) lane.wroteIn(slot, task.sentBytes - firstBytes);
    if (localItems > 0) lane.note(slot, 'NEAR_CACHE', localItems, 0);
    if ('error' in outcome) lane.fail(slot, outcome.error, receivedBytes);
    else if (this.#workload.canMiss[lane.operationIn(slot)] === true)
      lane.succeed(slot, outcome.misses > 0, receivedBytes);
    else lane.succeedItems(slot, outcome.hits, outcome.misses, receivedBytes);
    lane.end();
  }
}

/** What a library throws instead of rejecting is an error like any other. */
function started<Client>(action: ClientAction<Client>, client: Client, task: ClientTask): Promise<unknown> {
  try {
    return action.start(client, task);
  } catch (thrown) {
    return Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
