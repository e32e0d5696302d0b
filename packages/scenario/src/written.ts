import { LIMITS, NameSchema, OPERATIONS, STAGE_KINDS } from '@pacecar/protocol';
import { z } from 'zod';
import { grammar, key, required } from './key-doc.js';
import { readAmount } from './quantity/amount.js';
import { readCount } from './quantity/count.js';
import { shown } from './quantity/decimal.js';
import { readDuration } from './quantity/duration.js';
import { readKeyRange } from './quantity/key-range.js';
import { readObjective } from './quantity/objective.js';
import { readRatio } from './quantity/ratio.js';
import { bad, good } from './quantity/reading.js';
import { readSize } from './quantity/size.js';
import { readWeight } from './quantity/weight.js';

/**
 * The scenario as it is written. Every key has its documentation beside its schema: messages, docs/scenario.md and
 * the JSON schema all come from here.
 */

const DAY_MS = 24 * 3_600_000;

const name = () =>
  grammar('a name', 'scalar', (text) => {
    if (NameSchema.safeParse(text).success) return good(text);
    return bad(`${shown(text)} is no name; 1 to ${LIMITS.nameLength} characters, without control characters`);
  });
const text = (most: number) =>
  grammar('a text', 'scalar', (value) =>
    value.length <= most ? good(value) : bad(`${shown(value)} is longer than ${most} characters`),
  );
/** As a text, but no message repeats it. */
const secret = () =>
  grammar('a text', 'scalar', (value) =>
    value.length <= 10_000 ? good(value) : bad('is longer than 10000 characters'),
  );
const count = (minimum: number, maximum: number = LIMITS.count, type = 'a whole number') =>
  grammar(type, 'number', (value) => readCount(value, { minimum, maximum }));
const duration = (minimumMs: number, maximumMs = 31 * DAY_MS) =>
  grammar('a duration such as 10s', 'text', (value) => readDuration(value, { minimumMs, maximumMs }));
const amount = (maximum: number = LIMITS.count) =>
  grammar('an amount such as "10 per worker"', 'text', (value) => readAmount(value, { maximum }));
const ratio = () => grammar('a share such as 0.1%', 'number', readRatio);
const flag = () =>
  grammar('true or false', 'boolean', (value) =>
    value === 'true' || value === 'false'
      ? good(value === 'true')
      : bad(`${shown(value)} is neither true nor false`),
  );
const size = () => grammar('a size such as 100..1000', 'number', readSize);
const keyRange = () => grammar('a key range such as 0..99999', 'number', readKeyRange);

export const KeysShape = {
  range: key(keyRange(), {
    says: 'The numbers of the keys, both ends included; or how many keys, from 0 on.',
    fallback: '100k',
    example: '1..4M',
  }),
  prefix: key(text(1_000), { says: 'Stands before the number.', fallback: '"key:"', example: '"user:"' }),
  width: key(count(0, 20), {
    says: 'Digits of the number, padded with zeros. 0 pads nothing. By default the digits of the largest number, so that all keys have one length.',
    example: '12',
  }),
  distribution: key(z.enum(['uniform', 'sequential', 'partitioned']), {
    says: 'uniform: each key equally likely. sequential: each connection walks the range round and round. partitioned: each connection of all workers walks a slice of its own; the slices cover the range once.',
    fallback: 'uniform',
    example: 'sequential',
  }),
};

const weight = () => grammar('a weight such as 80 or 80%', 'number', readWeight);
export const MixShape = Object.fromEntries(
  OPERATIONS.map((operation) => [
    operation,
    key(weight(), { says: `The weight of ${operation}.`, example: '80' }),
  ]),
) as Record<(typeof OPERATIONS)[number], z.ZodOptional<ReturnType<typeof weight>>>;

const SharedShape = {
  group: key(name(), {
    says: 'The group whose workers take part. By default the only group; with several groups it must be said.',
    example: 'clients',
  }),
  threads: key(amount(), { says: 'Engine threads.', fallback: '1 per worker', example: '2 per worker' }),
  connections: key(amount(), {
    says: 'Connections to the target. In flight = connections x depth.',
    fallback: '10 per worker',
    example: '60 total',
  }),
  depth: key(count(1, LIMITS.depth), {
    says: 'Operations in flight on one connection (pipelining).',
    fallback: '1',
    example: '16',
  }),
  keys: key(z.union([keyRange(), z.strictObject(KeysShape)]), {
    says: 'The keys: how many, a range, or a mapping (see Keys).',
    fallback: '100k',
    example: '0..99999',
  }),
  value: key(size(), {
    says: 'Size of the values; a range draws each size from smallest to largest with equal chance.',
    fallback: '100',
    example: '100..10kB',
  }),
  operationTimeout: key(duration(1), {
    says: 'An operation that takes longer is counted as a timeout and its connection is opened anew.',
    fallback: '5s',
    example: '500ms',
  }),
  connectTimeout: key(duration(1), {
    says: 'How long opening a connection may take.',
    fallback: '5s',
    example: '2s',
  }),
  armTimeout: key(duration(1), {
    says: 'Every worker must have its connections open within this time; otherwise the run fails.',
    fallback: '30s',
    example: '2m',
  }),
  drain: key(duration(0), {
    says: 'After its end a stage waits this long for what is in flight; then it is aborted.',
    fallback: '5s',
    example: '1s',
  }),
};
const mix = () =>
  key(z.strictObject(MixShape), {
    says: 'Operations and their weights, drawn at random by the seed. With percent signs they must add up to 100 %.',
    fallback: '{ get: 80, put: 20 }',
    example: '{ get: 95%, put: 5% }',
  });
const checkValues = (fallback: string) =>
  key(flag(), {
    says: 'Whether each read checks that the value belongs to its key; a wrong one is the error VALUE_MISMATCH.',
    fallback,
    example: 'true',
  });
const stageName = () =>
  key(name(), {
    says: 'Stands in the report. By default the kind of the stage, numbered if there are several.',
    example: 'steady',
  });
const limit = () =>
  key(duration(1), {
    says: 'A stage that ends by operations or keys is given up after this time.',
    fallback: '1h',
    example: '10m',
  });

export const WorkloadShape = { ...SharedShape, mix: mix(), checkValues: checkValues('false') };

const EndShape = (fallback: string) => ({
  for: key(duration(1), {
    says: 'Ends the stage by time. Only one end can be given.',
    fallback,
    example: '1m30s',
  }),
  operations: key(amount(), {
    says: 'Ends the stage after exactly so many operations.',
    example: '4M total',
  }),
  allKeys: key(flag(), {
    says: 'Ends the stage when every key of the range has had one operation; its keys are partitioned.',
    fallback: 'false',
    example: 'true',
  }),
  limit: limit(),
});

export const LoadShape = { name: stageName(), ...SharedShape, limit: limit() };
export const MeasureShape = { name: stageName(), ...WorkloadShape, ...EndShape('10s') };
export const WarmUpShape = { name: stageName(), ...WorkloadShape, ...EndShape('5s') };
export const VerifyShape = {
  name: stageName(),
  ...SharedShape,
  checkValues: checkValues('true'),
  limit: limit(),
};

export const STAGE_SHAPES = {
  load: LoadShape,
  'warm-up': WarmUpShape,
  measure: MeasureShape,
  verify: VerifyShape,
} as const;

export const StageSchema = z.union([
  z.enum(STAGE_KINDS),
  z.strictObject({
    load: key(z.strictObject(LoadShape), { says: 'Puts every key once, partitioned over all connections.' }),
    'warm-up': key(z.strictObject(WarmUpShape), {
      says: 'As a measure stage, but enters no result. What it does not say it takes from the next measure stage.',
    }),
    measure: key(z.strictObject(MeasureShape), { says: 'The load that is measured.' }),
    verify: key(z.strictObject(VerifyShape), {
      says: 'Gets every key once, partitioned, and checks the values. What it does not say of keys and values it takes from the load stage before it.',
    }),
  }),
]);

export const TargetShape = {
  host: required(text(253), { says: 'Name or address of the server.', example: '10.0.0.5' }),
  port: key(count(1, 65_535), { says: 'TCP port of the server.', fallback: '6379', example: '6380' }),
  username: key(text(1_000), { says: 'User of the server. By default none.', example: 'bench' }),
  password: key(secret(), {
    says: 'Never shown. Take it from the environment; a password in the file earns a warning.',
    example: '${env.REDIS_PASSWORD}',
  }),
  database: key(count(0, 1_000_000), { says: 'Number of the database.', fallback: '0', example: '1' }),
};

const targetText = () =>
  grammar('`builtin` or a URL such as redis://host:6379', 'text', (value) => good(value));

export const ConfigurationShape = {
  target: required(z.union([targetText(), z.strictObject(TargetShape)]), {
    says: "The system under test: `builtin` (Pacecar's own target, started with the run), a URL `redis://user:password@host:port/database`, or a mapping.",
    example: 'redis://10.0.0.5:6379',
  }),
  driver: key(name(), {
    says: 'What speaks to the target; `pacecar drivers` lists them.',
    fallback: 'resp',
    example: 'ioredis',
  }),
  settings: key(z.record(z.string(), text(10_000)), {
    says: "The driver's own settings.",
    fallback: '{}',
    example: '{ noDelay: true }',
  }),
};

export const LivenessShape = {
  heartbeat: key(duration(10, 3_600_000), {
    says: 'Coordinator and workers say this often that they are alive.',
    fallback: '1s',
    example: '500ms',
  }),
  lostAfter: key(duration(20, DAY_MS), {
    says: 'A worker that has been silent or gone for this long is lost.',
    fallback: '10s',
    example: '5s',
  }),
  lease: key(duration(20, DAY_MS), {
    says: 'A worker that has not heard the coordinator for this long stops its load by itself.',
    fallback: '10s',
    example: '5s',
  }),
  join: key(duration(1), {
    says: 'All workers must have joined within this time.',
    fallback: '1m',
    example: '10m',
  }),
  startLead: key(duration(0, 3_600_000), {
    says: 'How far ahead the common start of a stage lies once all workers are armed.',
    fallback: '500ms',
    example: '1s',
  }),
};

export const ScenarioShape = {
  pacecar: required(
    grammar('the version 1', 'number', (value) =>
      value === '1'
        ? good(1 as const)
        : bad(`${shown(value)} is no version of the scenario format; allowed: 1`),
    ),
    { says: 'The version of the scenario format: write `pacecar: 1`.', example: '1' },
  ),
  name: key(name(), {
    says: "Names the run and its bundle. By default the file's name.",
    example: 'quickstart',
  }),
  seed: key(count(0), {
    says: 'Seeds every random stream. The default is fixed, so that the same scenario gives the same keys each time.',
    fallback: '1',
    example: '42',
  }),
  properties: key(z.record(z.string(), text(10_000)), {
    says: 'Values by name, used as `${name}` anywhere below; `--set name=value` overrides them.',
    fallback: '{}',
    example: '{ host: 127.0.0.1 }',
  }),
  groups: key(z.record(z.string(), count(1, LIMITS.workers)), {
    says: 'Groups of workers and their sizes, in the order in which workers are numbered.',
    fallback: '{ workers: 1 }',
    example: '{ clients: 3 }',
  }),
  configurations: required(z.record(z.string(), z.strictObject(ConfigurationShape)), {
    says: 'What is compared: by name a target, a driver and its settings.',
    example: '{ builtin: { target: builtin } }',
  }),
  workload: key(z.strictObject(WorkloadShape), {
    says: 'What the stages share, so that nothing is said twice. A stage overrides it key by key.',
    fallback: '{}',
  }),
  stages: required(z.array(StageSchema), {
    says: 'The steps of every cell, each ended by a barrier: `load`, `warm-up`, `measure`, `verify`.',
    example: '[load, warm-up, measure: { for: 1m }, verify]',
  }),
  repeat: key(count(1, LIMITS.cells), { says: 'How often each cell is run.', fallback: '1', example: '5' }),
  sweep: key(z.record(z.string(), z.array(text(1_000))), {
    says: 'Properties with a list of values each; every combination is a cell. Only `workload` and `stages` may use them.',
    fallback: '{}',
    example: '{ connections: [1, 10, 50] }',
  }),
  order: key(z.enum(['interleaved', 'sequential']), {
    says: 'interleaved: A B A B, so that drift hits every configuration. sequential: A A B B.',
    fallback: 'interleaved',
    example: 'sequential',
  }),
  onWorkerLoss: key(z.enum(['fail', 'continue']), {
    says: 'What happens when a worker is lost; `continue` marks the run DEGRADED.',
    fallback: 'fail',
    example: 'continue',
  }),
  errorBudget: key(ratio(), {
    says: 'Largest share of operations that may fail (errors, timeouts, aborted); above it the run fails.',
    fallback: '0.1%',
    example: '1%',
  }),
  missBudget: key(ratio(), {
    says: 'Largest share of reads that may miss; above it the run is DEGRADED.',
    fallback: '10%',
    example: '0%',
  }),
  startSkewLimit: key(duration(0), {
    says: "Largest spread of the workers' first operations; above it the run is DEGRADED.",
    fallback: '100ms',
    example: '20ms',
  }),
  objectives: key(z.array(grammar('an objective such as get.p99 < 5ms', 'text', readObjective)), {
    says: 'What every measure stage must reach; otherwise the run fails.',
    fallback: '[]',
    example: '[get.p99 < 5ms, total.throughput > 10000/s, put.errors < 0.1%]',
  }),
  interval: key(duration(100, 3_600_000), {
    says: 'Length of the intervals in which statistics are sent and shown.',
    fallback: '1s',
    example: '500ms',
  }),
  liveness: key(z.strictObject(LivenessShape), {
    says: 'How loss is noticed (see Liveness).',
    fallback: '{}',
    example: '{ lostAfter: 5s }',
  }),
};

export const ScenarioSchema = z.strictObject(ScenarioShape);
