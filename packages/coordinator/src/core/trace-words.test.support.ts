import {
  CLOSED_MODEL,
  type Drained,
  type Frame,
  type FrameRow,
  type Hello,
  type Objective,
  type OpenModel,
  plainAction,
  plainStage,
  plainWorkload,
  type Plan,
  PlanSchema,
  Recorder,
  type Search,
  ServiceActionSchema,
  type ServiceNode,
  type Stage,
  type StopRule,
} from '@pacecar/protocol';

/** Words of a command: `key=value` by name, the rest in order. */
export interface Words {
  readonly plain: readonly string[];
  readonly named: ReadonlyMap<string, string>;
}

export function readWords(rest: readonly string[]): Words {
  const named = new Map<string, string>();
  const plain: string[] = [];
  for (const word of rest) {
    const at = word.indexOf('=');
    if (at > 0) named.set(word.slice(0, at), word.slice(at + 1));
    else plain.push(word);
  }
  return { plain, named };
}

export function number(words: Words, name: string, otherwise: number): number {
  const text = words.named.get(name);
  return text === undefined ? otherwise : Number(text);
}

export function readHello(connection: number, words: Words): Hello {
  const text = (name: string): string | null => words.named.get(name) ?? null;
  const index = text('index');
  const resume = text('resume');
  return {
    type: 'hello',
    version: number(words, 'version', 1),
    token: text('token'),
    workerId: text('id') ?? `id-${connection}`,
    generation: number(words, 'generation', 0),
    name: text('name'),
    group: text('group'),
    index: index === null ? null : Number(index),
    resumeEpoch: resume === null ? null : Number(resume),
    facts: {
      hostname: 'host',
      platform: 'linux',
      architecture: 'x64',
      cpuModel: 'cpu',
      cpuCount: 1,
      memoryBytes: 1,
      nodeVersion: 'v20',
      pacecarVersion: '0',
      pid: 1,
      wallTime: '2026-01-01T00:00:00Z',
    },
    drivers: [],
    calibration: null,
  };
}

/** `get=5 misses=1 errors=1 inflight=2`: 5 ended, of which 1 missed and 1 is an error; `sent` follows from `open`. */
export function readFrame(
  place: { epoch: number; cell: number; stage: number },
  words: Words,
  worker: number,
  open: number,
): Frame {
  const ended = number(words, 'get', 0);
  const errors = number(words, 'errors', 0);
  const misses = number(words, 'misses', 0);
  const inFlight = number(words, 'inflight', 0);
  const ok = ended - errors;
  const empty = new Uint8Array([0]);
  const ms = words.named.get('ms');
  const times = ms === undefined ? empty : ms === 'damaged' ? new Uint8Array([9]) : took(Number(ms), ok);
  const sequence = number(words, 'sequence', 0);
  const row: FrameRow = {
    workload: words.named.get('workload') ?? 'main',
    operation: 'get',
    sent: number(words, 'sent', ended + inFlight - open),
    ok,
    hits: ok - misses,
    misses,
    errors: errors > 0 ? { WRONGTYPE: errors } : {},
    timeouts: 0,
    aborted: 0,
    late: number(words, 'late', 0),
    dropped: number(words, 'dropped', 0),
    bytesSent: 0,
    bytesReceived: 0,
    inFlight,
    service: times,
    response: empty,
    failed: empty,
  };
  return {
    ...place,
    worker: number(words, 'worker', worker),
    sequence,
    interval: sequence,
    startNs: sequence * INTERVAL_MS * 1e6,
    endNs: (sequence + 1) * INTERVAL_MS * 1e6,
    firstOperationNs: null,
    rows: [row],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
    ...readInserted(words),
  };
}

/** A histogram of so many operations that took so long each. */
function took(latencyMs: number, count: number): Uint8Array {
  const recorder = new Recorder();
  if (count > 0) recorder.record(latencyMs * 1e6, count);
  return recorder.encode();
}

/** `inserted=5,5-3,4`: three slices, 5, 5 and 4 rounds, of which round 3 of the second has failed. */
function readInserted(words: Words): Pick<Frame, 'inserted'> {
  const text = words.named.get('inserted');
  if (text === undefined) return {};
  const slices = text.split(',').map((slice) => [0, ...slice.split('-').map(Number)]);
  return { inserted: [{ workload: words.named.get('workload') ?? 'main', slices }] };
}

export function readDrained(place: { epoch: number; cell: number; stage: number }, words: Words): Drained {
  const ended = number(words, 'get', 0);
  const errors = number(words, 'errors', 0);
  const ok = ended - errors;
  const misses = number(words, 'misses', 0);
  const counts = { sent: ended, ok, hits: ok - misses, misses, errors };
  const rest = { timeouts: 0, aborted: 0, late: 0, dropped: 0 };
  return {
    type: 'drained',
    ...place,
    lastSequence: number(words, 'last', 0),
    elapsedNs: 1_000_000,
    totals: [{ workload: 'main', operation: 'get', ...counts, ...rest }],
    ...readReport(words),
  };
}

const INTERVAL_MS = 1_000;
const UNTIL = 'until-';

function readEnd(end: string): Stage['end'] {
  if (end.startsWith(UNTIL)) return { kind: 'stage', stage: end.slice(UNTIL.length) };
  return end === 'count'
    ? { kind: 'operations', operations: { count: 100, scope: 'total' } }
    : { kind: 'duration', durationMs: Number(end) };
}

const OPEN_MODEL: OpenModel = {
  kind: 'open',
  rate: { kind: 'constant', ratePerSec: 1 },
  arrivals: 'constant',
  lateAfterMs: 10,
  dropAfterMs: null,
};

/** `stop=3000`: ends by get.p99 > 5ms that holds for 3 s, in intervals of 10 operations at least. */
function readStop(words: Words): StopRule | null {
  if (!words.named.has('stop')) return null;
  const objective = readP99('>');
  return { any: [objective], holdMs: number(words, 'stop', 0), fewestOperations: 10, fromMs: 0 };
}

/** `search=100..800`: for get.p99 < 5ms, settled after 1 s, confirmed by 1 of 1, at most 8 probes unless `probes` says. */
function readSearch(words: Words): Search | null {
  const range = words.named.get('search');
  if (range === undefined) return null;
  const [minimumPerSec = 1, maximumPerSec = 1] = range.split('..').map(Number);
  return {
    workload: 'main',
    objectives: [readP99('<')],
    minimumPerSec,
    maximumPerSec,
    settleMs: 1_000,
    growth: 2,
    precision: 0.5,
    confirmations: { needed: 1, of: 1 },
    mostProbes: number(words, 'probes', 8),
  };
}

const readP99 = (comparison: '<' | '>'): Objective => ({
  text: `get.p99 ${comparison} 5ms`,
  operation: 'get',
  metric: 'p99',
  comparison,
  threshold: 5e6,
});

/** `name/service:start:servers`, `name/service:kill-0:servers`, `name/wait:1000`. */
function readActStage(name: string, kind: 'service' | 'wait', what: string, group: string): Stage {
  if (kind === 'wait') return plainStage({ name, kind, group, workloads: [], end: readEnd(what) });
  const [verb = 'start', index] = what.split('-');
  const action = {
    ...{ do: index === undefined ? verb : 'fault', service: SERVICE, how: 'graceful' },
    ...{ fault: verb, role: null, index: Number(index ?? 0) },
  };
  const stage = plainStage({ name, kind, group, workloads: [], end: { kind: 'done' } });
  return { ...stage, action: ServiceActionSchema.parse(action) };
}

/** The one service of a plan with `service=yes`. */
const SERVICE = 'cache';

/** `nodes=2`: so many processes, from the index of the worker on. */
export function readNodes(words: Words, worker: number): { readonly nodes?: readonly ServiceNode[] } {
  if (!words.named.has('nodes')) return {};
  const nodes = Array.from({ length: number(words, 'nodes', 1) }, (_, at) => ({
    ...{ role: 'server', index: worker * 10 + at, worker },
    ...{ host: 'h', port: 7000 + worker * 10 + at, certificateAuthority: null },
  }));
  return { nodes };
}

/** `report=in-order`: what became of the first process, and its log. */
function readReport(words: Words): Pick<Drained, 'report'> {
  const end = words.named.get('report');
  if (end === undefined) return {};
  const node = { role: 'server', index: 0, address: 'h:7000', facts: null, files: [], log: 'bye' };
  return { report: [{ ...node, end: end as 'in-order' }] };
}

/**
 * `groups=clients:2,servers:1 stages=measure:1000 inserts=yes loss=fail`; a stage is kind:durationMs, kind:count or
 * kind:until-name, of the first group; instead of a kind it may say name/kind.
 */
export function readPlan(words: Words): Plan {
  const groups = (words.named.get('groups') ?? 'clients:2').split(',').map((text) => {
    const [name = '', size = '1'] = text.split(':');
    return { name, size: Number(size) };
  });
  const stages = (words.named.get('stages') ?? 'measure:1000').split(',').map((text): Stage => {
    const [what = 'measure', end = '1000', group = groups[0]?.name ?? ''] = text.split(':');
    const [name = what, kind = name] = what.split('/');
    if (kind === 'service' || kind === 'wait') return readActStage(name, kind, end, group);
    const inserts = words.named.has('inserts');
    const workload = plainWorkload({
      connections: { count: 4, scope: 'worker' },
      mix: [plainAction('get', 1), ...(inserts ? [plainAction('insert', 1)] : [])],
      keys: { maximum: 9, ...(inserts ? { distribution: { kind: 'latest', exponent: 0.99 } } : {}) },
      values: { size: { kind: 'fixed', bytes: 3 }, content: { kind: 'printable' } },
      model: words.named.has('search') ? OPEN_MODEL : CLOSED_MODEL,
    });
    return plainStage({
      ...{ name, kind: kind as Stage['kind'], group, workloads: [workload], end: readEnd(end) },
      stopWhen: kind === 'measure' ? readStop(words) : null,
      search: kind === 'measure' ? readSearch(words) : null,
    });
  });
  const address = { host: 'h', port: 1, username: null, password: null, database: 0 };
  const target = words.named.has('service')
    ? { kind: 'service', service: SERVICE, ...address }
    : { kind: 'address', ...address };
  const service = {
    ...{ name: SERVICE, recipe: 'redis-server', group: groups[0]?.name ?? '', parameters: {} },
    ...{ username: null, password: null, readyWithinMs: 10_000 },
  };
  return PlanSchema.parse({
    pacecar: 1,
    name: 'traced',
    seed: 1,
    groups,
    configurations: [{ name: 'only', driver: 'resp', target, settings: {} }],
    ...(words.named.has('service') ? { services: [service] } : {}),
    cells: Array.from({ length: number(words, 'cells', 1) }, (_, index) => ({
      index,
      configuration: 'only',
      repetition: index,
      coordinates: {},
      stages,
    })),
    order: 'interleaved',
    onWorkerLoss: words.named.get('loss') ?? 'fail',
    errorBudget: 0,
    missBudget: 1,
    startSkewLimitMs: 250,
    objectives: [],
    intervalMs: INTERVAL_MS,
    liveness: {
      heartbeatMs: 1_000,
      lostAfterMs: 5_000,
      leaseMs: 10_000,
      joinTimeoutMs: 30_000,
      startLeadMs: 500,
    },
  });
}
