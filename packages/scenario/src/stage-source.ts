import { type LoadKind, LIMITS, type StopRule } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { REDIS_PREPARATION, redisStages } from './preset/redis-benchmark.js';
import { shown } from './quantity/decimal.js';
import { entry, type Fields, type Reader } from './reader.js';
import { readRedisTests } from './preset/redis-tests.js';
import { readSearch, readStopRule, type WrittenSearch } from './search.js';
import type { SourceMapping, SourceNode } from './source-tree.js';
import { readEnd, type WrittenEnd } from './stage-end.js';
import { layerAt, readPlace, type WrittenPlace } from './workload/place.js';
import { MeasureShape, STAGE_SHAPES } from './written/stage.js';
import { FixedParallelShape, ParallelShape, WorkloadShape } from './written/workload.js';

/** What a stage or workload that does every key once says itself. */
const OF_MIXES = ['mix', 'ratio', 'checkValues', 'tests'];

/** A stage as written: read, but not yet merged with what it takes from elsewhere. */
export interface WrittenStage {
  readonly kind: LoadKind;
  readonly path: string;
  readonly name: string | null;
  readonly place: WrittenPlace;
  /** Several workloads at once; empty: one, which is what the stage says. */
  readonly workloads: readonly WrittenWorkload[];
  readonly end: WrittenEnd;
  readonly limitMs: number | null;
  readonly stopWhen: StopRule | null;
  readonly search: WrittenSearch | null;
}

export interface WrittenWorkload {
  readonly name: string;
  readonly place: WrittenPlace;
}

/** What `workload` says. */
export function readShared(root: SourceMapping, reader: Reader): WrittenPlace {
  const mapping = reader.mapping(entry(root, 'workload')?.value, 'workload', 'what the stages share');
  const fields = reader.fields(WorkloadShape, mapping, 'workload');
  if (fields.preset === 'redis-benchmark')
    reader.findings.of(
      'workload.preset',
      'redis-benchmark is a suite of stages: write it in one, as in `- measure: { preset: redis-benchmark }`',
    );
  return readPlace(fields, mapping, 'workload', reader);
}

/** What stands behind the kind of a stage, which may be several stages; null: nothing does. */
export function readBody(
  kind: LoadKind,
  node: SourceNode | null,
  path: string,
  reader: Reader,
): readonly WrittenStage[] {
  const mapping = node === null ? null : reader.mapping(node, path, 'what the stage does');
  // Load and verify know a part of what measure knows; reading by their own shape refuses the rest.
  const readsMix = kind === 'measure' || kind === 'warm-up';
  const hint = (key: string) => {
    if (key === 'search') return 'a search is of a measure stage';
    if (key === 'background' || key === 'until') return NOT_IN_BACKGROUND[kind];
    return key in MeasureShape ? onceEachHint(kind) : null;
  };
  const fields: Fields<typeof MeasureShape> = reader.fields(STAGE_SHAPES[kind], mapping, path, hint);
  const known = readsMix ? mapping : withoutMix(mapping, kind);
  const place = readPlace(fields, known, path, reader);
  const searchNode = kind === 'measure' ? entry(mapping, 'search')?.value : undefined;
  const search = searchNode === undefined ? null : readSearch(searchNode, under(path, 'search'), reader);
  if (searchNode !== undefined) refuseBesideSearch(mapping, path, reader.findings);
  const stopNode = readsMix ? entry(mapping, 'stopWhen')?.value : undefined;
  const stage: WrittenStage = {
    kind,
    path,
    name: fields.name ?? null,
    place: search === null ? place : withRate(place, search),
    workloads: readWorkloads(mapping, kind, path, reader),
    end:
      search !== null
        ? { kind: 'duration', durationMs: search.probeMs }
        : readsMix
          ? readEnd(kind, fields, mapping, path, reader.findings)
          : { kind: 'keys' },
    limitMs: fields.limit ?? null,
    stopWhen: stopNode === undefined ? null : readStopRule(stopNode, under(path, 'stopWhen'), reader),
    search,
  };
  if (fields.preset === 'redis-benchmark') return redisBenchmark(stage, mapping, reader);
  if (entry(mapping, 'tests') !== undefined && kind === 'measure')
    reader.findings.of(
      under(path, 'tests'),
      'are those of a suite; add `preset: redis-benchmark`, or leave them out',
    );
  return [stage];
}

const NOT_IN_BACKGROUND: Readonly<Record<LoadKind, string>> = {
  load: 'a load stage ends when it has put every key; only a measure stage runs in the background',
  verify: 'a verify stage ends when it has read every key; only a measure stage runs in the background',
  'warm-up':
    'a warm-up enters no result, whatever runs beside it; only a measure stage runs in the background',
  measure: 'it belongs to the whole stage',
};

const onceEachHint = (kind: LoadKind) =>
  kind === 'warm-up'
    ? null
    : `a ${kind} stage has none: it ${kind === 'load' ? 'puts' : 'gets'} every key once`;

function withoutMix(mapping: SourceMapping | null, kind: LoadKind): SourceMapping | null {
  const left = OF_MIXES.filter((key) => !(key === 'checkValues' && kind === 'verify'));
  return mapping === null
    ? null
    : { ...mapping, entries: mapping.entries.filter(({ key }) => !left.includes(key)) };
}

function readWorkloads(
  mapping: SourceMapping | null,
  kind: LoadKind,
  path: string,
  reader: Reader,
): WrittenWorkload[] {
  const node = entry(mapping, 'workloads')?.value;
  if (node === undefined) return [];
  const place = under(path, 'workloads');
  const items = reader.list(node, place, 'workloads such as { name: poller, rate: 1/s, mix: { get: 1 } }');
  if (node.kind === 'list' && items.length === 0) reader.findings.of(place, 'has no workload');
  if (items.length > LIMITS.workloadsPerStage)
    reader.findings.of(place, `has ${items.length} workloads; allowed: at most ${LIMITS.workloadsPerStage}`);
  const readsMix = kind === 'measure' || kind === 'warm-up';
  const names = new Map<string, string>();
  return items.flatMap((item, index) => {
    const at = under(place, index);
    const inner = reader.mapping(item, at, 'a name and what the workload does');
    if (inner === null) return [];
    const hint = (key: string) => {
      if (!readsMix && key in ParallelShape) return onceEachHint(kind);
      return key in MeasureShape ? 'it belongs to the whole stage' : null;
    };
    const shape = readsMix ? ParallelShape : FixedParallelShape;
    const fields: Fields<typeof ParallelShape> = reader.fields(shape, inner, at, hint);
    if (fields.preset === 'redis-benchmark')
      reader.findings.of(
        under(at, 'preset'),
        'redis-benchmark is a suite of stages, not one workload of a stage',
      );
    const written = readPlace(fields, readsMix ? inner : withoutMix(inner, 'load'), at, reader);
    const { name } = fields;
    if (name === undefined) return [];
    const other = names.get(name);
    if (other !== undefined)
      reader.findings.of(under(at, 'name'), `the name ${shown(name)} is taken by ${other}; each has its own`);
    names.set(name, at);
    return [{ name, place: written }];
  });
}

/** What a search decides itself. */
const BESIDE_SEARCH: Readonly<Record<string, string>> = {
  rate: 'the search takes the rate from its own range',
  for: 'a search ends by itself, and its probes last as long as `probe` in it says',
  operations: 'a search ends by itself, and its probes last as long as `probe` in it says',
  allKeys: 'a search ends by itself, and its probes last as long as `probe` in it says',
  limit: 'a search ends by itself, after at most `mostProbes` of them',
  stopWhen: 'a search judges whole probes',
  background: 'a search ends by itself',
  until: 'a search ends by itself',
  preset: '',
};

function refuseBesideSearch(mapping: SourceMapping | null, path: string, findings: Findings): void {
  for (const { key, value } of mapping?.entries ?? []) {
    const why = Object.hasOwn(BESIDE_SEARCH, key) ? BESIDE_SEARCH[key] : undefined;
    if (why === undefined) continue;
    if (key === 'preset') {
      if (value.kind === 'scalar' && value.text === 'redis-benchmark')
        findings.of(under(path, key), 'redis-benchmark is a suite of stages, and a search is of one stage');
    } else findings.of(under(path, key), `stands beside \`search\`; ${why}, so leave it out`);
  }
}

/** Before it is searched the rate is the lowest; a warm-up that takes what the stage says begins there. */
function withRate(place: WrittenPlace, { search, path }: WrittenSearch): WrittenPlace {
  const { own } = place;
  const rate = { kind: 'constant', ratePerSec: search.minimumPerSec } as const;
  const places = new Map(own.places).set('rate', under(path, 'rate'));
  return { ...place, own: { ...own, layer: { ...own.layer, rate }, places } };
}

/** One stage for each test of the suite, and one before them that fills what a test reads. */
function redisBenchmark(stage: WrittenStage, mapping: SourceMapping | null, reader: Reader): WrittenStage[] {
  const { path, place } = stage;
  const at = under(path, 'preset');
  if (stage.kind !== 'measure') {
    reader.findings.of(at, 'redis-benchmark is measured: write it in a measure stage');
    return [];
  }
  for (const key of ['mix', 'ratio', 'workloads', 'allKeys', 'records'])
    if (entry(mapping, key) !== undefined)
      reader.findings.of(under(path, key), 'redis-benchmark says itself what is sent; leave it out');
  const tests = readRedisTests(entry(mapping, 'tests')?.value, under(path, 'tests'), reader);
  return redisStages(tests).map(({ name, prepares, action }) => ({
    ...stage,
    kind: prepares ? 'warm-up' : 'measure',
    name: stage.name === null ? name : `${stage.name} ${name}`,
    place: {
      own: place.own,
      preset: {
        fills: place.preset?.fills ?? layerAt({}, at),
        says: layerAt({ mix: { mode: 'random', actions: [action] } }, at),
      },
    },
    end: prepares ? { kind: 'operations', operations: REDIS_PREPARATION } : stage.end,
    stopWhen: prepares ? null : stage.stopWhen,
  }));
}
