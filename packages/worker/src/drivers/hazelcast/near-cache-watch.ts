import type { ClientTask } from '../client-task.js';
import type { LibraryMap } from './library.js';

/** Bytes of a key, on their way through the library. */
interface KeyData {
  /** For whom it is looked up. */
  pacecarTask?: ClientTask | undefined;
}
type Read = (data: KeyData) => unknown;
type ReadAll = (partitions: Readonly<Record<string, readonly KeyData[]>>, found: unknown) => unknown;
type AskKey = (codec: unknown, data: KeyData, ...rest: readonly unknown[]) => unknown;
type AskPartition = (
  codec: unknown,
  partition: number,
  handler: unknown,
  ...rest: readonly unknown[]
) => unknown;

/** Steps inside of the library's map with a near cache; its version is pinned, and a suite holds them to it. */
interface MapSteps {
  getInternal: Read;
  getAllInternal: ReadAll;
  encodeInvokeOnKey: AskKey;
  encodeInvokeOnPartition: AskPartition;
}

/**
 * Knows which reads of a map its near cache answered, and which went to a member. The library's own statistics do not:
 * they have sums only, and count as a hit also what is asked of a member because the same key is on its way already.
 */
export class NearCacheWatch {
  static readonly #watches = new WeakMap<object, NearCacheWatch>();
  #task: ClientTask | null = null;

  /** The watch on this map; all connections that share a client share it. */
  static of(map: LibraryMap): NearCacheWatch {
    const known = NearCacheWatch.#watches.get(map);
    if (known !== undefined) return known;
    const made = new NearCacheWatch(map as unknown as MapSteps);
    NearCacheWatch.#watches.set(map, made);
    return made;
  }

  private constructor(map: MapSteps) {
    const { getInternal, getAllInternal, encodeInvokeOnKey, encodeInvokeOnPartition } = map;
    map.getInternal = (data) => {
      data.pacecarTask = this.#task ?? undefined;
      return getInternal.call(map, data);
    };
    map.getAllInternal = (partitions, found) => {
      for (const data of Object.values(partitions).flat()) data.pacecarTask = this.#task ?? undefined;
      return getAllInternal.call(map, partitions, found);
    };
    map.encodeInvokeOnKey = (codec, data, ...rest) => {
      asked(data);
      return encodeInvokeOnKey.call(map, codec, data, ...rest);
    };
    map.encodeInvokeOnPartition = (codec, partition, handler, ...rest) => {
      const [keys] = rest;
      if (Array.isArray(keys)) for (const key of keys as readonly KeyData[]) asked(key);
      return encodeInvokeOnPartition.call(map, codec, partition, handler, ...rest);
    };
  }

  /** Runs what reads `items` items for this task. */
  during<Answer>(task: ClientTask, items: number, ask: () => Answer): Answer {
    task.localItems = items;
    this.#task = task;
    try {
      return ask();
    } finally {
      this.#task = null;
    }
  }
}

/** A member is asked for it. */
function asked(data: KeyData): void {
  const task = data.pacecarTask;
  if (task === undefined) return;
  data.pacecarTask = undefined;
  task.localItems--;
}
