import { NOT_ACKNOWLEDGED, PacecarError, type TargetFacts } from '@pacecar/protocol';
import type { Db, MongoClient } from 'mongodb';
import { addressOf } from '../target-refusal.js';
import {
  type ClientOptions,
  databaseOf,
  libraryOptions,
  type MongoClientConstructor,
  urlOf,
} from './client.js';
import type { MongodbSettings } from './description.js';
import { greet } from './greeting.js';
import { type Answer, factsOf } from './facts.js';
import { noAnswer, refusal } from './refusal.js';

/**
 * Asks a target about itself, on a client of its own. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or
 * TARGET_PROTOCOL. Each step may take the connect timeout.
 */
export async function inspectTarget(
  library: MongoClientConstructor,
  { target, settings, connectTimeoutMs }: Omit<ClientOptions, 'sockets'>,
): Promise<TargetFacts> {
  if (settings.replicaSet === '') await greet(target, connectTimeoutMs);
  const options = libraryOptions({ target, settings, connectTimeoutMs, sockets: 1 });
  const client = new library(urlOf(target, settings), options);
  try {
    const admin = client.db('admin');
    const hello = await within(connectTimeoutMs, connected(client, settings, admin), () =>
      noAnswer(target, `no answer within ${connectTimeoutMs} ms`),
    );
    const ask = (database: Db, question: string): Promise<Answer | null> =>
      within(connectTimeoutMs, database.command({ [question]: 1 }), () => new Error('late')).catch(
        () => null,
      );
    const facts = factsOf(
      addressOf(target),
      {
        hello,
        buildInfo: await ask(admin, 'buildInfo'),
        serverStatus: await ask(admin, 'serverStatus'),
        getCmdLineOpts: await ask(admin, 'getCmdLineOpts'),
        getDefaultRWConcern: await ask(admin, 'getDefaultRWConcern'),
        dbStats: await ask(databaseOf(client, target), 'dbStats'),
      },
      {
        clientWriteConcern: writeConcernText(settings),
        writes: settings.w === 0 ? NOT_ACKNOWLEDGED : 'acknowledged',
      },
    );
    if (settings.w === 0 && facts.product === 'ferretdb' && /^v?1\./.test(facts.version))
      throw new PacecarError(
        'UNSUPPORTED',
        `the target ${facts.address} is a FerretDB ${facts.version}, which answers writes with w: 0 all the same, so that ` +
          'later answers on their sockets are taken for others; use another w',
      );
    return facts;
  } catch (thrown) {
    throw refusal(thrown, target);
  } finally {
    client.removeAllListeners();
    client.close().catch(() => undefined);
  }
}

/** Not what the server has, but what every write asks of it. */
function writeConcernText({ w, journal }: MongodbSettings): string {
  const members = w === 'server' ? "the server's own" : `w: ${w}`;
  return journal ? `${members}, j: true` : members;
}

async function connected(client: MongoClient, settings: MongodbSettings, admin: Db): Promise<Answer> {
  const refused = new Promise<never>((_resolve, reject) => {
    if (settings.replicaSet === '') client.on('serverHeartbeatFailed', ({ failure }) => reject(failure));
  });
  return Promise.race([client.connect().then(() => admin.command({ hello: 1 })), refused]);
}

async function within<Result>(limitMs: number, result: Promise<Result>, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([result, over]);
  } finally {
    clearTimeout(timer);
  }
}
