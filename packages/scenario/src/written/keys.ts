import { z } from 'zod';
import { key } from '../key-doc.js';
import { above, count, flag, keyRange, keyTemplate, ratio, text } from './scalar.js';

/** Keys as they are written. */

const exponent = (says: string) => key(above(0, 100), { says, fallback: '0.99', example: '1.2' });

/** What each distribution can be told. */
export const DISTRIBUTION_SHAPES = {
  uniform: {},
  sequential: {},
  partitioned: {},
  gaussian: {
    median: key(count(0), {
      says: 'Number of the most popular key. By default the middle of the range.',
      example: '50k',
    }),
    deviation: key(above(0, 1e15), {
      says: 'Standard deviation, in keys. By default a sixth of the range.',
      example: '1000',
    }),
  },
  zipfian: {
    exponent: exponent('Key i of the popular ones has a weight of 1 / i^exponent; any above 0, 1 included.'),
    scrambled: key(flag(), {
      says: 'Whether the popular keys lie anywhere in the range instead of at its beginning.',
      fallback: 'true',
      example: 'false',
    }),
  },
  latest: { exponent: exponent('As for zipfian; the key inserted last is the most popular.') },
  hotspot: {
    keys: key(ratio(), {
      says: 'Share of the keys, the first ones, that is hot.',
      fallback: '20%',
      example: '1%',
    }),
    operations: key(ratio(), {
      says: 'Share of the operations that the hot keys get.',
      fallback: '80%',
      example: '99%',
    }),
  },
  exponential: {
    operations: key(ratio(), {
      says: 'This share of the operations ...',
      fallback: '95%',
      example: '90%',
    }),
    keys: key(ratio(), {
      says: '... goes to this share of the keys, the first ones.',
      fallback: '85.714%',
      example: '50%',
    }),
  },
} as const;
export type DistributionName = keyof typeof DISTRIBUTION_SHAPES;
export const DISTRIBUTIONS = Object.keys(DISTRIBUTION_SHAPES) as [DistributionName, ...DistributionName[]];

export const DISTRIBUTION_MEANINGS: Readonly<Record<DistributionName, string>> = {
  uniform: 'Each key equally likely.',
  sequential: 'Each connection walks the range round and round, with a cursor for reads and one for writes.',
  partitioned: 'Each connection of all workers walks a slice of its own; the slices cover the range once.',
  gaussian: 'Normal around the median; what falls outside the range is drawn again.',
  zipfian: 'A few keys are far more popular than the others.',
  latest:
    'Zipfian by age: keys inserted last, by any worker, are the most popular; only acknowledged ones are drawn.',
  hotspot: 'A share of the keys gets a share of the operations; uniform in both parts.',
  exponential: 'The first keys are the most popular, and it falls exponentially.',
};

const mapped = Object.fromEntries(
  Object.entries(DISTRIBUTION_SHAPES).map(([name, shape]) => [
    name,
    key(z.strictObject(shape), { says: DISTRIBUTION_MEANINGS[name as DistributionName] }),
  ]),
);

export const KeysShape = {
  range: key(keyRange(), {
    says: 'The numbers of the keys, both ends included; or how many keys, from 0 on.',
    fallback: '100k',
    example: '1..4M',
  }),
  prefix: key(text(1_000), { says: 'Stands before the number.', fallback: '"key:"', example: '"user:"' }),
  suffix: key(text(1_000), { says: 'Stands behind the number.', fallback: '""', example: '":profile"' }),
  template: key(keyTemplate(), {
    says: 'Prefix and suffix in one text, with `__n__` where the number stands.',
    example: '"user:{__n__}:profile"',
  }),
  hashTag: key(flag(), {
    says: 'Whether braces stand round the number, so that a cluster takes the slot from it alone.',
    fallback: 'false',
    example: 'true',
  }),
  width: key(count(0, 20), {
    says: 'Digits of the number, padded with zeros. 0 pads nothing. By default the digits of the largest number, so that all keys have one length.',
    example: '12',
  }),
  order: key(z.enum(['numeric', 'hashed']), {
    says: "numeric: the number itself. hashed: its 64-bit FNV hash in place of it, YCSB's order of keys, without padding.",
    fallback: 'numeric',
    example: 'hashed',
  }),
  distribution: key(z.union([z.enum(DISTRIBUTIONS), z.strictObject(mapped)]), {
    says: 'Which keys are drawn how often: a word, or a mapping that says more (see Distributions).',
    fallback: 'uniform',
    example: '{ zipfian: { exponent: 0.99, scrambled: true } }',
  }),
};
