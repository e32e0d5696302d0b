import { LIMITS } from '@pacecar/protocol';
import { z } from 'zod';
import { key, required } from '../key-doc.js';
import { PRESETS } from '../preset/preset.js';
import { KeysShape } from './keys.js';
import { mixKey, ratioKey } from './mix.js';
import { ModelShape } from './model.js';
import { amount, count, duration, flag, keyRange, name } from './scalar.js';
import { RecordsShape, valueKey } from './values.js';

/** What is said of a load, as it is written: in `workload`, in a stage, or in one of several workloads of a stage. */

/** What the workloads of a stage have in common. */
const StageWideShape = {
  group: key(name(), {
    says: 'The group whose workers take part. By default the only group; with several groups it must be said.',
    example: 'clients',
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

const PressureShape = {
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
};

const DataShape = {
  keys: key(z.union([keyRange(), z.strictObject(KeysShape)]), {
    says: 'The keys: how many, a range, or a mapping (see Keys).',
    fallback: '100k',
    example: '0..99999',
  }),
  value: valueKey(),
  records: key(z.strictObject(RecordsShape), {
    says: "Records in place of values, for the operations on records: YCSB's, with named fields (see Records). load then writes records, and verify reads them.",
    example: '{ fields: 10, fieldSize: 100 }',
  }),
};

const checkValues = (fallback: string) =>
  key(flag(), {
    says: 'Whether each read, also of the records that a scan finds, checks that the value belongs to its key; a wrong one is the error VALUE_MISMATCH. Of a part that getRange reads the first 8 bytes of a value, which make it the one of its key and length, are checked only if the value ends within the part.',
    fallback,
    example: 'true',
  });

const preset = key(z.enum(PRESETS), {
  says: 'A known benchmark: fills keys, records and mix (see Presets). What is written beside it wins.',
  example: 'ycsb-a',
});

/** What load and verify know: they say themselves what is sent. */
export const FixedShape = { ...StageWideShape, ...PressureShape, ...DataShape, preset, ...ModelShape };
export const CheckedShape = { ...FixedShape, checkValues: checkValues('true') };

const MixedShape = { mix: mixKey(), ratio: ratioKey(), preset, checkValues: checkValues('false') };

export const WorkloadShape = {
  ...StageWideShape,
  ...PressureShape,
  ...DataShape,
  ...MixedShape,
  ...ModelShape,
};

const workloadName = required(name(), { says: 'Names its rows in the report.', example: 'poller' });

/** One of several workloads of a load or verify stage. */
export const FixedParallelShape = {
  name: workloadName,
  ...PressureShape,
  ...DataShape,
  preset,
  ...ModelShape,
};

/** One of several workloads of a stage. */
export const ParallelShape = {
  name: workloadName,
  ...PressureShape,
  ...DataShape,
  ...MixedShape,
  ...ModelShape,
};
