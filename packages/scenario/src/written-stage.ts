import { LIMITS, OPERATIONS, STAGE_KINDS } from '@pacecar/protocol';
import { z } from 'zod';
import { key } from './key-doc.js';
import { amount, count, duration, flag, keyRange, name, size, text, weight } from './scalar.js';

/** Workloads and stages as they are written. Every key has its documentation beside its schema. */

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
