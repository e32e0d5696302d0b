import { type ClientOptions, LibraryClient } from './library-client.js';

/** A client of the library, as long as somebody uses it. */
interface SharedClient {
  readonly client: LibraryClient;
  readonly opened: Promise<void>;
  /** What to call when it has ended. */
  readonly users: Set<() => void>;
}

/** One use of a client that others may use too. */
export interface ClientUse {
  readonly client: LibraryClient;
  readonly opened: Promise<void>;
  leave(): void;
}

/** Connects with its first user, ends with its last one; whoever comes after a client has ended gets a new one. */
export class ClientShare {
  readonly #options: ClientOptions;
  #shared: SharedClient | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** `lost` is called once if the client ends by itself. Throws PacecarError REQUEST_INVALID. */
  join(lost: () => void): ClientUse {
    const shared = this.#shared ?? this.#begin();
    this.#shared = shared;
    const { client, opened, users } = shared;
    // The same function may come twice; each use is one.
    const user = () => lost();
    users.add(user);
    return {
      client,
      opened,
      leave: () => {
        if (!users.delete(user) || users.size > 0) return;
        this.#forget(shared);
        client.close();
      },
    };
  }

  #begin(): SharedClient {
    const users = new Set<() => void>();
    const client = new LibraryClient(this.#options, () => {
      this.#forget(shared);
      for (const lost of [...users]) lost();
    });
    const shared: SharedClient = { client, opened: client.open(), users };
    // Each user hears of it too; the next one begins anew.
    shared.opened.catch(() => this.#forget(shared));
    return shared;
  }

  #forget(shared: SharedClient): void {
    if (this.#shared === shared) this.#shared = null;
  }
}
