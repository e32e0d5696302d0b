import { STAGE_KINDS } from '@pacecar/protocol';
import { z } from 'zod';
import { key } from '../key-doc.js';
import { REDIS_TESTS } from '../preset/redis-benchmark.js';
import { amount, duration, flag, name, text } from './scalar.js';
import { ACT_ENTRIES, LONE_WORDS } from './service.js';
import { SearchShape, StopSchema } from './search.js';
import { CheckedShape, FixedShape, ParallelShape, WorkloadShape } from './workload.js';

/** Stages as they are written. Every key has its documentation beside its schema. */

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
const workloads = key(z.array(z.strictObject(ParallelShape)), {
  says: 'Several workloads at once, each with rows of its own. Each has a name and the keys of `workload` except those of the whole stage; what one does not say it takes from the stage.',
  example:
    '[{ name: reader, rate: 10k/s, mix: { get: 1 } }, { name: poller, rate: 1/s, connections: 3 total }]',
});

const EndShape = (fallback: string) => ({
  for: key(duration(1), {
    says: 'Ends the stage by time. Only one end can be given.',
    fallback,
    example: '1m30s',
  }),
  operations: key(amount(), {
    says: 'Ends the stage after exactly so many operations; of several workloads each sends so many.',
    example: '4M total',
  }),
  allKeys: key(flag(), {
    says: 'Ends the stage when every key of the range has had one operation; its keys are partitioned.',
    fallback: 'false',
    example: 'true',
  }),
  limit: limit(),
  stopWhen: key(StopSchema, {
    says: 'Ends the stage early when an objective comes true, over all its workers: an objective, a list of which one suffices, or a mapping (see Ending early).',
    example: 'get.p99 > 5ms',
  }),
});

export const LoadShape = {
  name: stageName(),
  ...FixedShape,
  workloads,
  limit: limit(),
};
export const MeasureShape = {
  name: stageName(),
  ...WorkloadShape,
  workloads,
  tests: key(z.array(text(100)), {
    says: `With \`preset: redis-benchmark\`: which of its tests, a stage each. By default all: ${REDIS_TESTS.join(', ')}.`,
    example: '[SET, GET, LRANGE_100]',
  }),
  ...EndShape('10s'),
  background: key(flag(), {
    says: 'Runs the stage beside all stages after it (see Background stages), with connections, operations and results of its own. It takes the place of an end.',
    fallback: 'false',
    example: 'true',
  }),
  until: key(name(), {
    says: 'As `background`, but not to the end of the list: until the later stage of this name has closed.',
    example: 'busy',
  }),
  search: key(z.strictObject(SearchShape), {
    says: 'Finds the highest rate at which objectives hold (see Searches): runs the stage once for each rate that it tries. It takes the place of `rate` and of an end.',
    example: '{ objective: get.p99 < 5ms, rate: 1000/s..1M/s }',
  }),
};
export const WarmUpShape = {
  name: stageName(),
  ...WorkloadShape,
  workloads,
  ...EndShape('5s'),
};
export const VerifyShape = {
  name: stageName(),
  ...CheckedShape,
  workloads,
  limit: limit(),
};

export const STAGE_SHAPES = {
  load: LoadShape,
  'warm-up': WarmUpShape,
  measure: MeasureShape,
  verify: VerifyShape,
} as const;

export const StageSchema = z.union([
  z.enum([...STAGE_KINDS, ...LONE_WORDS]),
  z.strictObject({
    load: key(z.strictObject(LoadShape), { says: 'Puts every key once, partitioned over all connections.' }),
    'warm-up': key(z.strictObject(WarmUpShape), {
      says: 'As a measure stage, but enters no result. What it does not say it takes from the next measure stage.',
    }),
    measure: key(z.strictObject(MeasureShape), { says: 'The load that is measured.' }),
    verify: key(z.strictObject(VerifyShape), {
      says: 'Gets every key once, partitioned, and checks the values. What it does not say of keys and values it takes from the load stage before it.',
    }),
    ...ACT_ENTRIES,
  }),
]);
