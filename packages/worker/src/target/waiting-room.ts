import type { Session } from './call.js';
import type { Database } from './database.js';
import { Deque } from './deque.js';
import type { ReplyBuffer } from './reply-buffer.js';

/** One client that waits until one of several lists has an element. */
export interface Waiting {
  readonly session: Session;
  readonly database: Database;
  readonly keys: readonly string[];
  /** From which end it takes. */
  readonly take: (list: Deque<Buffer>) => Buffer | undefined;
  timer: NodeJS.Timeout | null;
}

/** The longest time that a timer of Node.js takes, 24 days: whoever waits longer waits for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Clients that wait for elements of lists: on each key, who came first is served first. */
export class WaitingRoom {
  readonly #queues = new Map<Database, Map<string, Set<Waiting>>>();
  /** Keys somebody waits for that got something since `serve`. */
  #ready: { readonly database: Database; readonly key: string }[] = [];

  /** `timeoutMs` 0 waits for ever. Until it ends, the session's `waiting` is this. */
  wait(
    session: Session,
    { keys, take, timeoutMs }: Pick<Waiting, 'keys' | 'take'> & { readonly timeoutMs: number },
  ): void {
    const { database } = session;
    const waiting: Waiting = { session, database, keys, take, timer: null };
    session.waiting = waiting;
    for (const key of keys) this.#queueOf(database, key).add(waiting);
    if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)
      waiting.timer = setTimeout(() => this.#end(waiting, noElement), timeoutMs);
  }

  /** The session's client is gone. */
  leave({ waiting }: Session): void {
    if (waiting !== null) this.#remove(waiting);
  }

  /** Something was added to the list under a key. */
  added(database: Database, key: string): void {
    if (this.#queues.get(database)?.has(key) === true) this.#ready.push({ database, key });
  }

  /** After a command or a whole transaction: whoever waits for what it added gets it. */
  serve(): void {
    if (this.#ready.length === 0) return;
    const ready = this.#ready;
    this.#ready = [];
    for (const { database, key } of ready) {
      for (const waiting of this.#queues.get(database)?.get(key) ?? []) {
        const list = database.get(key);
        if (!(list instanceof Deque)) break;
        const value = takeFrom(database, key, waiting.take);
        if (value === undefined) break;
        this.#end(waiting, (out) => putElement(out, key, value));
      }
    }
  }

  #end(waiting: Waiting, reply: (out: ReplyBuffer) => void): void {
    this.#remove(waiting);
    waiting.session.answer(reply);
  }

  #remove(waiting: Waiting): void {
    const { database, keys, session, timer } = waiting;
    if (timer !== null) clearTimeout(timer);
    session.waiting = null;
    const queues = this.#queues.get(database);
    for (const key of keys) {
      const queue = queues?.get(key);
      queue?.delete(waiting);
      if (queue?.size === 0) queues?.delete(key);
    }
  }

  #queueOf(database: Database, key: string): Set<Waiting> {
    let queues = this.#queues.get(database);
    if (queues === undefined) {
      queues = new Map();
      this.#queues.set(database, queues);
    }
    let queue = queues.get(key);
    if (queue === undefined) {
      queue = new Set();
      queues.set(key, queue);
    }
    return queue;
  }
}

/** An element off a list that is there; the key goes with the last one. */
export function takeFrom(database: Database, key: string, take: Waiting['take']): Buffer | undefined {
  const list = database.get(key);
  if (!(list instanceof Deque)) return undefined;
  const value = take(list);
  if (list.length === 0) database.delete(key);
  return value;
}

export function putElement(out: ReplyBuffer, key: string, value: Buffer): void {
  out.array(2);
  out.binary(key);
  out.raw(value);
}

export function noElement(out: ReplyBuffer): void {
  out.noArray();
}
