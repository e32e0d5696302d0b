import type { ServiceNode, TargetFacts } from '@pacecar/protocol';
import { z } from 'zod';
import { bytes, milliseconds, parametersOf, port } from '../parameters.js';
import type { Blueprint, Launch, NodeDraft, Recipe, ServiceOrder, Workshop } from '../recipe.js';
import { askMongodb } from './ask.js';
import { plainText, type Value } from './document.js';

const LEAVE_MS = 15_000;
const GIBIBYTE = 1024 ** 3;

/** Databases that a server keeps for itself. */
const OWN_DATABASES = new Set(['admin', 'config', 'local']);

interface Product {
  readonly name: string;
  readonly program: string;
  readonly remedy: string;
  /** Its command line; it runs in the directory of its data. */
  arguments(node: ServiceNode): readonly string[];
}

/** Data in memory alone is not offered: FerretDB 1.24 hangs there on every update of a document that is present. */
const FerretdbSchema = z.strictObject({
  port: port(),
  sync: z
    .boolean()
    .default(true)
    .describe('Whether SQLite waits for the disk. false: a crash of the machine may lose what was answered.'),
});

const MongodSchema = z.strictObject({
  port: port(),
  cacheSize: bytes(256 * 1024 * 1024, 16 * 1024 * GIBIBYTE)
    .default(GIBIBYTE)
    .describe('Cache of the storage engine WiredTiger.'),
  journalCommitInterval: milliseconds(1, 500)
    .default(100)
    .describe('How long a write may wait for the journal.'),
});

function ferretdb(order: ServiceOrder): Product {
  const { sync } = parametersOf(FerretdbSchema, order);
  return {
    name: 'ferretdb',
    program: 'ferretdb',
    remedy:
      'install FerretDB 1.24 (github.com/FerretDB/FerretDB/releases), or build it with tools/build-ferretdb.sh',
    arguments: ({ host, port }) => [
      ...['--handler=sqlite', `--sqlite-url=file:./${sync ? '' : '?_pragma=synchronous(off)'}`],
      ...[`--listen-addr=${bracketed(host)}:${port}`, '--state-dir=.', '--debug-addr=-'],
      ...['--log-level=warn', '--telemetry=disable'],
    ],
  };
}

function mongod(order: ServiceOrder): Product {
  const { cacheSize, journalCommitInterval } = parametersOf(MongodSchema, order);
  return {
    name: 'mongodb',
    program: 'mongod',
    remedy: 'see mongodb.com/docs/manual/installation; the recipe ferretdb speaks the same protocol',
    arguments: ({ host, port }) => [
      ...['--dbpath', '.', '--bind_ip', host, '--port', String(port), '--nounixsocket'],
      ...['--wiredTigerCacheSizeGB', String(Number((cacheSize / GIBIBYTE).toFixed(4)))],
      ...['--journalCommitInterval', String(journalCommitInterval)],
    ],
  };
}

class MongodbBlueprint implements Blueprint {
  readonly nodes: readonly NodeDraft[];
  readonly leaveMs = LEAVE_MS;
  readonly certificateAuthority = null;
  readonly #product: Product;
  #program = '';

  constructor(order: ServiceOrder, product: Product, given: number) {
    this.#product = product;
    this.nodes = order.share.index === 0 ? [{ role: 'server', index: 0, port: given, besides: [] }] : [];
  }

  async provide(workshop: Workshop): Promise<void> {
    this.#program = workshop.program([this.#product.program], this.#product.remedy);
    return Promise.resolve();
  }

  launch(node: ServiceNode): Launch {
    return { program: this.#program, arguments: this.#product.arguments(node), files: [] };
  }

  async answers(node: ServiceNode): Promise<string | null> {
    try {
      const answer = await askMongodb(node, { hello: 1, $db: 'admin' });
      return answer['isWritablePrimary'] === true ? null : 'it takes no writes yet';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  async form(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async formed(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async clear(node: ServiceNode): Promise<void> {
    const answer = await askMongodb(node, { listDatabases: 1, nameOnly: true, $db: 'admin' });
    for (const database of listOf(answer['databases'])) {
      const name = recordOf(database)['name'];
      if (typeof name === 'string' && !OWN_DATABASES.has(name))
        await askMongodb(node, { dropDatabase: 1, $db: name });
    }
  }

  async facts(node: ServiceNode): Promise<TargetFacts> {
    const build = await askMongodb(node, { buildInfo: 1, $db: 'admin' });
    const status = await askMongodb(node, { serverStatus: 1, $db: 'admin' });
    const ferret = build['ferretdbVersion'];
    const isFerret = typeof ferret === 'string';
    const settings: Record<string, string> = {};
    if (isFerret) settings['mongodbVersion'] = plainText(build['version']);
    for (const [name, value] of [
      ['storageEngine', recordOf(status['storageEngine'])['name']],
      ['maxBsonObjectSize', build['maxBsonObjectSize']],
      ['process', status['process']],
    ] as const)
      if (plainText(value) !== '') settings[name] = plainText(value).slice(0, 1_000);
    if (isFerret) settings['storageEngine'] ??= 'sqlite';
    return {
      address: `${node.host}:${node.port}`,
      product: isFerret ? 'ferretdb' : this.#product.name,
      version: plainText(isFerret ? ferret : build['version']).slice(0, 100),
      mode: 'standalone',
      settings,
    };
  }

  isData(name: string): boolean {
    return /\.sqlite(-wal)?$|\.wt$|^journal\//.test(name);
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function recordOf(value: Value | undefined): { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

export const FERRETDB: Recipe = {
  description: {
    name: 'ferretdb',
    summary: 'One FerretDB 1.24 on SQLite: speaks the MongoDB protocol where no mongod is.',
    roles: ['server'],
    speaks: 'mongodb',
    login: false,
    parameters: FerretdbSchema,
  },
  open: (order) => new MongodbBlueprint(order, ferretdb(order), parametersOf(FerretdbSchema, order).port),
};

export const MONGOD: Recipe = {
  description: {
    name: 'mongod',
    summary: 'One MongoDB server.',
    roles: ['server'],
    speaks: 'mongodb',
    login: false,
    parameters: MongodSchema,
  },
  open: (order) => new MongodbBlueprint(order, mongod(order), parametersOf(MongodSchema, order).port),
};
