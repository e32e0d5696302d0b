import type { Target } from '@pacecar/protocol';
import type { Collection, Db, Filter, FindOptions, MongoClient, MongoClientOptions } from 'mongodb';
import type { ClientTask, Value } from '../client-task.js';
import type { PromiseClient } from '../promise-channel.js';
import { commandBytes, type MeasuredDocument } from './bson-bytes.js';
import type { MongodbSettings } from './description.js';
import { errorKindOf } from './error-kind.js';
import { refusal } from './refusal.js';

export type Fields = Record<string, Value>;
export interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: Value | number;
}
export type MongoClientConstructor = new (url: string, options: MongoClientOptions) => MongoClient;

/** Where a target without a database in the plan is spoken to, as the library has it. */
const USUAL_DATABASE = 'test';

export interface ClientOptions {
  readonly target: Target;
  readonly settings: MongodbSettings;
  readonly connectTimeoutMs: number;
  /** Sockets for operations. */
  readonly sockets: number;
}

/** Several addresses are members of one replica set; a member that is spoken to alone is the first. */
export function urlOf({ host, port, addresses, nodes }: Target, { replicaSet }: MongodbSettings): string {
  const alone = [{ host, port }];
  const members = replicaSet === '' ? alone : (addresses ?? nodes ?? alone);
  const list = members.map(
    (each) => `${each.host.includes(':') ? `[${each.host}]` : each.host}:${each.port}`,
  );
  return `mongodb://${list.join(',')}/`;
}

/**
 * The library as it comes, but that it may not send an operation twice, which would hide what happened, and that each
 * wait of a connection has an end. Operations have the engine's timeouts.
 */
export function libraryOptions({ target, settings, ...rest }: ClientOptions): MongoClientOptions {
  const { connectTimeoutMs, sockets } = rest;
  const { w, journal, readConcern, readPreference, replicaSet, authSource } = settings;
  const concern = { ...(w === 'server' ? {} : { w }), ...(journal ? { journal } : {}) };
  return {
    appName: 'pacecar',
    maxPoolSize: sockets,
    minPoolSize: sockets,
    connectTimeoutMS: connectTimeoutMs,
    serverSelectionTimeoutMS: connectTimeoutMs,
    retryReads: false,
    retryWrites: false,
    // Values that are bytes are read as bytes.
    promoteBuffers: true,
    ...(Object.keys(concern).length === 0 ? {} : { writeConcern: concern }),
    ...(readConcern === 'server' ? {} : { readConcern: { level: readConcern } }),
    ...(replicaSet === '' ? { directConnection: true } : { replicaSet, readPreference }),
    ...(target.username === null
      ? {}
      : { auth: { username: target.username, password: target.password ?? '' }, authSource }),
  };
}

export function databaseOf(client: MongoClient, { databaseName }: Target): Db {
  return client.db(databaseName ?? USUAL_DATABASE);
}

/** One client of the library, with as many sockets as it may have operations under way. */
export class MongodbClient implements PromiseClient {
  readonly settings: MongodbSettings;
  readonly collection: Collection<StoredDocument>;
  readonly #client: MongoClient;
  readonly #options: ClientOptions;
  readonly #database: Db;
  readonly #names: MeasuredDocument;

  constructor(library: MongoClientConstructor, options: ClientOptions, lost: () => void) {
    const { target, settings } = options;
    this.settings = settings;
    this.#options = options;
    this.#client = new library(urlOf(target, settings), libraryOptions(options));
    const database = databaseOf(this.#client, target);
    this.#database = database;
    this.collection = database.collection<StoredDocument>(settings.collection);
    this.#names = { name: settings.collection, $db: database.databaseName };
    // A socket that failed, or a server that no longer answers: all sockets to it go with it.
    this.#client.on('connectionPoolCleared', lost);
  }

  /** Resolves once every socket is open, so that no operation pays for one. */
  async connect(): Promise<void> {
    const client = this.#client;
    const { target, settings, sockets } = this.#options;
    try {
      const opened = new Promise<void>((resolve) => {
        let ready = 0;
        client.on('connectionReady', () => {
          if (++ready === sockets) resolve();
        });
      });
      const refused = new Promise<never>((_resolve, reject) => {
        // The library goes on trying until its timeout; a server that is alone has said all it will.
        if (settings.replicaSet === '') client.on('serverHeartbeatFailed', ({ failure }) => reject(failure));
      });
      await Promise.race([this.#greet().then(() => opened), refused]);
    } catch (thrown) {
      throw refusal(thrown, target);
    }
  }

  errorKind(error: unknown): string | null {
    return errorKindOf(error);
  }

  disconnect(): void {
    this.#client.removeAllListeners();
    // What was under way is dropped first; that its sessions have ended is told to the server if it listens.
    this.#client.close().catch(() => undefined);
  }

  /** Documents by a filter, in one answer. */
  find(
    task: ClientTask,
    filter: MeasuredDocument & Filter<StoredDocument>,
    options: FindOptions & { readonly limit: number },
  ): Promise<StoredDocument[]> {
    const { projection, sort, limit } = options;
    this.sent(task, 'find', {
      filter,
      limit,
      batchSize: limit + 1,
      ...(sort === undefined ? {} : { sort: sort as MeasuredDocument }),
      ...(projection === undefined ? {} : { projection }),
    });
    return this.collection.find(filter, { ...options, batchSize: limit }).toArray();
  }

  /** Counts the bytes of a command: of `find` what it consists of, of a write its one document. */
  sent(task: ClientTask, command: 'find' | 'insert' | 'update' | 'delete', content: MeasuredDocument): void {
    const { name, $db } = this.#names;
    const document: MeasuredDocument =
      command === 'find'
        ? { find: name, ...content, $db }
        : { [command]: name, [LISTS[command]]: [content], ordered: true, $db };
    task.sentBytes += commandBytes(document);
  }

  /** A command says why a socket for operations cannot be opened; that the library connected says only that a server is there. */
  async #greet(): Promise<void> {
    await this.#client.connect();
    await this.#database.command({ ping: 1 });
  }
}

const LISTS = { insert: 'documents', update: 'updates', delete: 'deletes' } as const;
