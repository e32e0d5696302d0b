import { PacecarError, type Target } from '@pacecar/protocol';
import type { Client, ClientConfig } from 'hazelcast-client';
import { addressesOf } from './address.js';
import type { HazelcastSettings } from './description.js';
import {
  EvictionPolicy,
  InMemoryFormat,
  type LibraryMap,
  LifecycleState,
  makeClient,
  ReconnectMode,
  startClient,
} from './library.js';
import { ConnectionLog, notHazelcast, refusalOf } from './refusal.js';

export interface ClientOptions {
  readonly target: Target;
  readonly settings: HazelcastSettings;
  readonly connectTimeoutMs: number;
}

/** Of the time to connect, what the library has; then it says why itself. */
const OWN_SHARE = 0.9;

/**
 * The library as it comes, but that it tries to connect once, and ends when its last connection does: the engine connects
 * anew, and counts the time until then. A member that comes back while others are there is the library's own affair.
 */
function configOf(options: ClientOptions, log: ConnectionLog, ended: () => void): ClientConfig {
  const { target, settings, connectTimeoutMs } = options;
  const clusterMembers = addressesOf(target, settings);
  const connectionTimeout = Math.max(1, Math.floor((connectTimeoutMs * OWN_SHARE) / clusterMembers.length));
  return {
    clusterName: settings.clusterName,
    network: {
      clusterMembers,
      connectionTimeout,
      smartRouting: settings.smartRouting,
      redoOperation: settings.redoOperation,
    },
    connectionStrategy: {
      reconnectMode: ReconnectMode.OFF,
      connectionRetry: { clusterConnectTimeoutMillis: 0 },
    },
    backupAckToClientEnabled: settings.backupAcks,
    nearCaches: settings.nearCache ? { [settings.map]: nearCacheOf(settings) } : {},
    properties: { 'hazelcast.client.invocation.timeout.millis': settings.invocationTimeoutMs },
    lifecycleListeners: [
      (state) => {
        if (state === LifecycleState.DISCONNECTED || state === LifecycleState.SHUTDOWN) ended();
      },
    ],
    customLogger: silentBut(log),
  };
}

function nearCacheOf(settings: HazelcastSettings): NonNullable<ClientConfig['nearCaches']>[string] {
  return {
    invalidateOnChange: settings.nearCacheInvalidation,
    inMemoryFormat: InMemoryFormat[settings.nearCacheFormat],
    evictionPolicy: EvictionPolicy[settings.nearCacheEviction],
    evictionMaxSize: settings.nearCacheMaxSize,
    timeToLiveSeconds: settings.nearCacheTimeToLiveSec,
    maxIdleSeconds: settings.nearCacheMaxIdleSec,
  };
}

/** The library would print otherwise. */
function silentBut({ log }: ConnectionLog): NonNullable<ClientConfig['customLogger']> {
  const silent = (): void => undefined;
  return {
    log,
    error: silent,
    warn: (name, message) => log(1, name, message),
    info: silent,
    debug: silent,
    trace: silent,
  };
}

/** One client of the library and its map. */
export class LibraryClient {
  readonly client: Client;
  readonly #options: ClientOptions;
  readonly #log = new ConnectionLog();
  #map: LibraryMap | null = null;
  #isClosed = false;

  /** `ended`: once connected, it has lost its last connection. */
  constructor(options: ClientOptions, ended: () => void) {
    this.#options = options;
    this.client = makeClient(
      configOf(options, this.#log, () => {
        if (this.#map !== null && !this.#isClosed) ended();
      }),
    );
  }

  /** Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or TARGET_PROTOCOL. */
  async open(): Promise<void> {
    const { target, settings, connectTimeoutMs } = this.#options;
    try {
      await startClient(this.client);
      this.#map = await this.client.getMap(settings.map);
    } catch (thrown) {
      // Dropped for taking too long, with the connection made and nothing answered.
      if (this.#isClosed) throw notHazelcast(target, `no answer within ${connectTimeoutMs} ms`);
      throw refusalOf(target, settings, this.#log.reason ?? (thrown as Error).message);
    }
  }

  get map(): LibraryMap {
    if (this.#map === null) throw new PacecarError('INTERNAL', 'the client of Hazelcast is not open');
    return this.#map;
  }

  get isOpen(): boolean {
    return this.#map !== null && !this.#isClosed;
  }

  get isRunning(): boolean {
    return this.client.getLifecycleService().isRunning();
  }

  /** Ends it, whatever it is at. */
  close(): void {
    this.#isClosed = true;
    // Nobody waits for what it still has to say.
    this.client.shutdown().catch(() => undefined);
  }
}
