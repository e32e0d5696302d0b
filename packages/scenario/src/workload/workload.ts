import {
  type Action,
  amountFor,
  type Operation,
  plainAction,
  RECONNECT,
  type Records,
  type Stage,
  type LoadKind,
  type Workload,
} from '@pacecar/protocol';
import { type Findings, under } from '../findings.js';
import { writeAmount } from '../quantity/amount.js';
import { writeDuration } from '../quantity/duration.js';
import { resolveKeys } from './keys.js';
import type { Layers } from './layer.js';
import { resolveModel } from './model.js';
import type { WrittenPlace } from './place.js';

/** What a workload must know of its stage. */
interface Surroundings {
  readonly kind: LoadKind;
  readonly path: string;
  readonly end: Stage['end'];
}

const RECORD_OPERATIONS: ReadonlySet<Operation> = new Set<Operation>([
  'readRecord',
  'updateRecord',
  'insertRecord',
  'scanRecords',
  'readModifyWriteRecord',
]);
/** Operations whose answers can be checked. */
const CHECKED: ReadonlySet<Operation> = new Set<Operation>([
  'get',
  'getAll',
  'getRange',
  'readModifyWrite',
  'readRecord',
  'scanRecords',
  'readModifyWriteRecord',
]);
/** Operations that are not on one key of the range, so that no count of them does every key once. */
const NOT_ON_ONE_KEY: ReadonlySet<Operation> = new Set<Operation>([
  'insert',
  'getAll',
  'putAll',
  'scan',
  'insertRecord',
  'scanRecords',
  'transaction',
]);

/** A workload of a stage, every default resolved. `ownPlaces` are those that the stage itself says. */
export function resolveWorkload(
  stage: Surroundings,
  ownPlaces: readonly WrittenPlace[],
  { name, layers }: { readonly name: string; readonly layers: Layers },
  findings: Findings,
): Workload {
  const { merged } = layers;
  const records = merged.records ?? null;
  const fixed = stage.kind === 'load' || stage.kind === 'verify';
  const mix = fixed ? [onceEachAction(stage.kind, records)] : merged.mix.actions;
  const onceEach = stage.end.kind === 'keys';
  if (onceEach) checkOnceEach(stage, ownPlaces, mix, layers, findings);
  if (!fixed) checkRecords(mix, records, layers, findings);
  const model = resolveModel(layers, findings);
  checkStart(model, stage, merged.connections, layers, findings);
  return {
    name,
    threads: merged.threads,
    connections: merged.connections,
    depth: merged.depth,
    mix,
    mixMode: fixed ? 'random' : merged.mix.mode,
    keys: resolveKeys(layers, onceEach, findings),
    values: { size: merged.valueSize, content: merged.valueContent },
    // To check them all, all must be read.
    records: records !== null && stage.kind === 'verify' ? { ...records, readAllFields: true } : records,
    checkValues: resolveCheck(stage, ownPlaces, mix, layers, findings),
    model,
    reconnect: {
      ...RECONNECT,
      everyOperations: merged.reconnectEvery,
      firstBackOffMs: merged.backOff.shortestMs,
      longestBackOffMs: merged.backOff.longestMs,
    },
  };
}

function onceEachAction(kind: LoadKind, records: Records | null): Action {
  if (records !== null) return plainAction(kind === 'load' ? 'insertRecord' : 'readRecord', 1);
  return plainAction(kind === 'load' ? 'put' : 'get', 1);
}

function checkOnceEach(
  { kind, path }: Surroundings,
  ownPlaces: readonly WrittenPlace[],
  mix: readonly Action[],
  layers: Layers,
  findings: Findings,
): void {
  const own = ownPlaces.find(({ own: { layer } }) => layer.distribution !== undefined)?.own;
  const distribution = own?.layer.distribution;
  if (own !== undefined && distribution !== undefined && distribution.kind !== 'partitioned')
    findings.of(
      own.places.get('distribution') ?? own.path,
      `every key once can only be done partitioned; found ${distribution.kind}; leave the distribution out`,
    );
  if (kind === 'load' || kind === 'verify' || !layers.read('mix')) return;
  const wrong = mix.find(({ operation }) => NOT_ON_ONE_KEY.has(operation));
  if (wrong !== undefined)
    findings.of(
      under(path, 'allKeys'),
      `does every key once, and ${wrong.operation} is not on one key of the range; end the stage by time or operations`,
    );
}

/** Operations on records need to know them; so does the load stage, which would write plain values otherwise. */
function checkRecords(
  mix: readonly Action[],
  records: Records | null,
  layers: Layers,
  findings: Findings,
): void {
  if (!layers.read('mix', 'records')) return;
  const onRecords = mix.find(({ operation }) => RECORD_OPERATIONS.has(operation));
  const onFields = mix.find(({ commands }) => commands.some((text) => text.includes('__field__')));
  const needs = onRecords?.operation ?? (onFields === undefined ? undefined : '__field__');
  if (needs !== undefined && records === null)
    findings.of(
      layers.pathOf('mix'),
      `${needs} works on records, and none are said; write \`records: {}\` in \`workload\` for YCSB's 10 fields of 100 ` +
        'bytes, so that the load stage writes them as well',
    );
  const plain = mix.find(
    ({ operation }) =>
      !RECORD_OPERATIONS.has(operation) && operation !== 'command' && operation !== 'transaction',
  );
  if (records !== null && plain !== undefined && plain.operation !== 'delete' && plain.operation !== 'expire')
    findings.of(
      layers.pathOf('mix'),
      `the keys hold records, and ${plain.operation} is not for records; allowed: ${[...RECORD_OPERATIONS].join(', ')}, ` +
        'delete, expire, command, transaction',
    );
}

function resolveCheck(
  { kind }: Surroundings,
  ownPlaces: readonly WrittenPlace[],
  mix: readonly Action[],
  layers: Layers,
  findings: Findings,
): boolean {
  if (kind === 'load') return false;
  if (kind === 'verify')
    return (
      ownPlaces.findLast(({ own }) => own.layer.checkValues !== undefined)?.own.layer.checkValues ?? true
    );
  const { checkValues } = layers.merged;
  if (checkValues && layers.read('mix') && !mix.some(({ operation }) => CHECKED.has(operation)))
    findings.of(
      layers.pathOf('checkValues'),
      `checks what reads return, and the mix has no get or other read (${[...CHECKED].join(', ')})`,
    );
  return checkValues;
}

/** That connections which begin later begin at all. */
function checkStart(
  model: Workload['model'],
  { end }: Surroundings,
  connections: Workload['connections'],
  layers: Layers,
  findings: Findings,
): void {
  if (model.kind !== 'closed' || !layers.read('start')) return;
  const { start } = model;
  const lastMs = end.kind === 'duration' ? end.durationMs : Number.POSITIVE_INFINITY;
  if (start.kind === 'ramp' && start.durationMs > lastMs)
    findings.of(
      layers.pathOf('start'),
      `takes ${writeDuration(start.durationMs)}, longer than the stage, ${writeDuration(lastMs)}; some connections would ` +
        'never send',
    );
  if (start.kind !== 'staircase' || !layers.read('connections')) return;
  const { first, step, everyMs } = start;
  const worker = (amount: typeof first) => amountFor(amount, 1, 0);
  if (first.scope !== connections.scope || step.scope !== connections.scope)
    findings.of(
      layers.pathOf('start'),
      `counts as connections do, which are ${writeAmount(connections)}: write both ` +
        (connections.scope === 'total' ? '"... total"' : '"... per worker"'),
    );
  else if (worker(first) > connections.count)
    findings.of(
      under(layers.pathOf('start'), 'first'),
      `${writeAmount(first)} is more than all connections, ${writeAmount(connections)}`,
    );
  else {
    const steps = Math.ceil((connections.count - worker(first)) / worker(step));
    if (steps * everyMs >= lastMs)
      findings.of(
        layers.pathOf('start'),
        `all ${writeAmount(connections)} connections send after ${writeDuration(steps * everyMs)}, and the stage ends after ` +
          `${writeDuration(lastMs)}; larger or shorter steps, or a longer stage`,
      );
  }
}
