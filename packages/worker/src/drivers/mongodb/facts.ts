import type { TargetFacts } from '@pacecar/protocol';

export type Answer = Readonly<Record<string, unknown>>;

/** What a server answered to each question; null: it did not, or was not allowed to. */
export interface Answers {
  readonly hello: Answer;
  readonly buildInfo: Answer | null;
  readonly serverStatus: Answer | null;
  readonly getCmdLineOpts: Answer | null;
  readonly getDefaultRWConcern: Answer | null;
  readonly dbStats: Answer | null;
}

/** Options of the server that decide what a benchmark measures, as its command line or file gave them. */
const OPTIONS = [
  ...[
    'storage.engine',
    'storage.journal.commitIntervalMs',
    'storage.journal.enabled',
    'storage.syncPeriodSecs',
  ],
  ...['storage.wiredTiger.engineConfig.cacheSizeGB', 'storage.wiredTiger.collectionConfig.blockCompressor'],
  ...['storage.inMemory.engineConfig.inMemorySizeGB', 'replication.replSetName', 'net.tls.mode'],
  ...['net.compression.compressors', 'net.maxIncomingConnections', 'security.authorization'],
];

/** Texts of serverStatus that stay while a server runs, and by which names they are shown. */
const STATUS = [
  ['process', 'process'],
  ['pid', 'pid'],
  ['storageEngine', 'storageEngine.name'],
  ['storageEnginePersistent', 'storageEngine.persistent'],
  ['cacheMaximumBytes', 'wiredTiger.cache.maximum bytes configured'],
] as const;
const BUILD = ['bits', 'gitVersion', 'maxBsonObjectSize', 'storageEngines'];

/** What serverStatus and dbStats count. */
const STATUS_FIGURES = [
  ['uptimeSec', 'uptime'],
  ['cacheUsedBytes', 'wiredTiger.cache.bytes currently in the cache'],
  ['residentMib', 'mem.resident'],
  ['virtualMib', 'mem.virtual'],
  ['connections', 'connections.current'],
] as const;
const DATA_FIGURES = ['collections', 'objects', 'dataSize', 'storageSize', 'indexSize', 'totalSize'];
const MOST_FIGURES = 200;

/** What a server of the MongoDB family says of itself. What it does not say is absent. `driver`: of the client's side. */
export function factsOf(
  address: string,
  answers: Answers,
  driver: Readonly<Record<string, string>>,
): TargetFacts {
  const { hello, buildInfo, serverStatus, getCmdLineOpts, getDefaultRWConcern, dbStats } = answers;
  const settings: Record<string, string> = {};
  const say = (name: string, value: unknown): void => {
    const text = textOf(value);
    if (text !== null) settings[name] = text.slice(0, 1_000);
  };
  const { product, version } = productOf(buildInfo);
  if (product !== 'mongodb') say('mongodbVersion', buildInfo?.['version']);
  for (const name of BUILD) say(name, at(buildInfo, name));
  for (const [name, path] of STATUS) say(name, at(serverStatus, path));
  for (const path of OPTIONS) say(path, at(at(getCmdLineOpts, 'parsed'), path));
  say('replicaSet', hello['setName']);
  if (hello['setName'] !== undefined) {
    say(
      'role',
      hello['isWritablePrimary'] === true ? 'primary' : hello['secondary'] === true ? 'secondary' : null,
    );
    say('members', listOf(hello['hosts']).length);
  }
  say('defaultWriteConcern', at(getDefaultRWConcern, 'defaultWriteConcern'));
  say('defaultReadConcern', at(getDefaultRWConcern, 'defaultReadConcern.level'));
  Object.assign(settings, driver);
  const id = identityOf(hello, serverStatus);
  if (id !== null) settings['run_id'] = id;
  return {
    address,
    product,
    version,
    mode: modeOf(hello),
    settings,
    figures: figuresOf(serverStatus, dbStats),
  };
}

function figuresOf(status: Answer | null, data: Answer | null): Record<string, number> {
  const figures: Record<string, number> = {};
  const count = (name: string, value: unknown): void => {
    const figure = typeof value === 'bigint' ? Number(value) : value;
    if (typeof figure === 'number' && Number.isFinite(figure)) figures[name] = figure;
  };
  for (const [name, path] of STATUS_FIGURES) count(name, at(status, path));
  for (const name of DATA_FIGURES) count(`db.${name}`, at(data, name));
  for (const [name, value] of entriesOf(at(status, 'opcounters'))) count(`opcounters.${name}`, value);
  // The commands of a FerretDB, which has no opcounters.
  if (at(status, 'opcounters') === undefined)
    for (const [name, value] of entriesOf(at(status, 'metrics.commands')).slice(0, MOST_FIGURES))
      count(`commands.${name.slice(0, 80)}`, at(value, 'total'));
  return figures;
}

/** Products that say so themselves; everything else calls itself a MongoDB by its version. */
function productOf(build: Answer | null): { product: string; version: string } {
  const ferret = at(build, 'ferretdbVersion') ?? at(build, 'ferretdb.version');
  const percona = at(build, 'psmdbVersion');
  const [product, version] =
    ferret !== undefined
      ? ['ferretdb', ferret]
      : percona !== undefined
        ? ['percona-server-for-mongodb', percona]
        : [build === null ? 'unknown' : 'mongodb', at(build, 'version')];
  return { product, version: (textOf(version) ?? 'unknown').slice(0, 100) };
}

function modeOf(hello: Answer): string {
  if (hello['msg'] === 'isdbgrid') return 'mongos';
  return hello['setName'] === undefined ? 'standalone' : 'replica-set';
}

/** One life of a server: MongoDB has a name for it; of others the process, which a restart changes. */
function identityOf(hello: Answer, status: Answer | null): string | null {
  const life = at(hello, 'topologyVersion.processId');
  // An ObjectId, whose JSON is its text.
  return textOf(life) ?? textOf(at(status, 'pid'));
}

function at(answer: unknown, path: string): unknown {
  let value: unknown = answer;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Answer)[name];
  }
  return value;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value === '' ? null : value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? null : JSON.stringify(value);
    default:
      return null;
  }
}
