import { type ClientOptions, LibraryClient } from './library-client.js';

/** From the end of a stage until the next one arms; what a warm-up has brought into a near cache stays that long. */
const LINGER_MS = 10_000;

/** A client of the library, as long as somebody uses it. */
interface SharedClient {
  readonly client: LibraryClient;
  readonly opened: Promise<void>;
  /** What to call when it has ended. */
  readonly users: Set<() => void>;
  /** Ends it, if nobody comes. */
  leaving: NodeJS.Timeout | null;
}

/** One use of a client that others may use too. */
export interface ClientUse {
  readonly client: LibraryClient;
  readonly opened: Promise<void>;
  leave(): void;
}

/**
 * Connects with its first user, ends with its last one; whoever comes after a client has ended gets a new one. A client
 * with a near cache ends a little later, for the next stage of the same configuration.
 */
export class ClientShare {
  /** Of this thread, those that outlive a stage. */
  static readonly #kept = new Map<string, ClientShare>();
  readonly #options: ClientOptions;
  /** Of one that outlives a stage: its client is gone. */
  readonly #forgotten: (() => void) | null;
  #shared: SharedClient | null = null;

  constructor(options: ClientOptions, forgotten: (() => void) | null = null) {
    this.#options = options;
    this.#forgotten = forgotten;
  }

  /** The share of this configuration. */
  static of(options: ClientOptions): ClientShare {
    if (!options.settings.nearCache) return new ClientShare(options);
    const key = JSON.stringify(options);
    const kept = ClientShare.#kept.get(key) ?? new ClientShare(options, () => ClientShare.#kept.delete(key));
    ClientShare.#kept.set(key, kept);
    return kept;
  }

  /** `lost` is called once if the client ends by itself. Throws PacecarError REQUEST_INVALID. */
  join(lost: () => void): ClientUse {
    const shared = this.#shared ?? this.#begin();
    this.#shared = shared;
    const { client, opened, users } = shared;
    // The same function may come twice; each use is one.
    const user = () => lost();
    users.add(user);
    if (shared.leaving !== null) clearTimeout(shared.leaving);
    shared.leaving = null;
    return {
      client,
      opened,
      leave: () => {
        if (!users.delete(user) || users.size > 0) return;
        if (this.#shared === shared && client.isOpen && this.#forgotten !== null)
          shared.leaving = setTimeout(() => this.#end(shared), LINGER_MS).unref();
        else this.#end(shared);
      },
    };
  }

  #begin(): SharedClient {
    const users = new Set<() => void>();
    const client = new LibraryClient(this.#options, () => {
      this.#forget(shared);
      for (const lost of [...users]) lost();
    });
    const shared: SharedClient = { client, opened: client.open(), users, leaving: null };
    // Each user hears of it too; the next one begins anew.
    shared.opened.catch(() => this.#forget(shared));
    return shared;
  }

  #end(shared: SharedClient): void {
    this.#forget(shared);
    shared.client.close();
  }

  #forget(shared: SharedClient): void {
    if (shared.leaving !== null) clearTimeout(shared.leaving);
    if (this.#shared !== shared) return;
    this.#shared = null;
    this.#forgotten?.();
  }
}
