import type { ClientTask } from '../client-task.js';
import type { PromiseClient } from '../promise-channel.js';
import type { ClientShare, ClientUse } from './client-share.js';
import type { HazelcastSettings } from './description.js';
import { kindOfError } from './error-kind.js';
import { type LibraryMap, longOf, type MapKey } from './library.js';
import { NearCacheWatch } from './near-cache-watch.js';

/** A connection of the plan: its use of a client. */
export class HazelcastClient implements PromiseClient {
  readonly settings: HazelcastSettings;
  readonly #share: ClientShare;
  readonly #lost: () => void;
  #use: ClientUse | null = null;
  #map: LibraryMap | null = null;
  #watch: NearCacheWatch | null = null;

  constructor(share: ClientShare, settings: HazelcastSettings, lost: () => void) {
    this.#share = share;
    this.settings = settings;
    this.#lost = lost;
  }

  async connect(): Promise<void> {
    const use = this.#share.join(this.#lost);
    this.#use = use;
    await use.opened;
    this.#map = use.client.map;
    if (this.settings.nearCache) this.#watch = NearCacheWatch.of(this.#map);
  }

  get map(): LibraryMap {
    return this.#map as LibraryMap;
  }

  /** The number of a key as a java.lang.Long. */
  longKey(key: number): MapKey {
    return longOf(key);
  }

  /** Of reads: how many items the library answers by itself is counted on the task. */
  read<Answer>(task: ClientTask, items: number, ask: (map: LibraryMap) => Answer): Answer {
    return this.#watch === null ? ask(this.map) : this.#watch.during(task, items, () => ask(this.map));
  }

  errorKind(error: unknown): string | null {
    return this.#use?.client.isRunning === true ? kindOfError(error) : null;
  }

  disconnect(): void {
    this.#use?.leave();
    this.#use = null;
  }
}
