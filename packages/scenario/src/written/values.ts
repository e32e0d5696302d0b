import { LIMITS } from '@pacecar/protocol';
import { z } from 'zod';
import { key, required } from '../key-doc.js';
import { above, atLeast, count, flag, size, weight } from './scalar.js';

/** Sizes and contents as they are written. */

export const GaussianSizeShape = {
  range: required(size(), {
    says: 'Smallest and largest size; what falls outside is drawn again.',
    example: '10..10kB',
  }),
  median: key(atLeast(0, LIMITS.valueBytes), {
    says: 'The most frequent size, bytes. By default the middle of the range.',
    example: '500',
  }),
  deviation: key(above(0, LIMITS.valueBytes), {
    says: 'Standard deviation, bytes. By default a sixth of the range.',
    example: '100',
  }),
};

export const SizeShapes = {
  weighted: key(z.record(z.string(), weight()), {
    says: 'Sizes and their weights; with percent signs they add up to 100 %.',
    example: '{ 100: 80%, 10kB: 20% }',
  }),
  gaussian: key(z.strictObject(GaussianSizeShape), {
    says: 'Normal around a median.',
    example: '{ range: 10..1000, median: 500, deviation: 100 }',
  }),
};

const sizeList = () => z.array(z.record(z.string(), size()));

export const ContentShapes = {
  printable: key(z.strictObject({}), { says: 'Letters and digits.' }),
  random: key(z.strictObject({}), { says: 'Any bytes, which nothing compresses.' }),
  compressible: key(atLeast(1, 20), {
    says: 'Any bytes that shrink to about 1 / n of their size.',
    example: '3',
  }),
};

export const ValueShape = {
  size: key(z.union([size(), sizeList(), z.strictObject(SizeShapes)]), {
    says: 'Size of the values: one, a range (each size equally likely), a list of weights and sizes, or a mapping (see Sizes).',
    fallback: '100',
    example: '[{ 80%: 100 }, { 20%: 10kB }]',
  }),
  content: key(z.union([z.enum(['printable', 'random']), z.strictObject(ContentShapes)]), {
    says: 'What the values are made of. Any reader can check a value of any kind: it begins with a mark of its key and its length, and goes on with a text that is the same for all values of a kind. Within a value nothing repeats before 16 MiB; a target that compresses several values together finds the same in each.',
    fallback: 'printable',
    example: '{ compressible: 3 }',
  }),
};

/** `value`: a size in all its forms, or the mapping. */
export const valueKey = () =>
  key(z.union([size(), sizeList(), z.strictObject(ValueShape)]), {
    says: 'Size of the values: one, a range (each size equally likely), or a list of weights and sizes; or a mapping of size and content (see Values).',
    fallback: '100',
    example: '100..10kB',
  });

const fieldSize = z.union([size(), sizeList(), z.strictObject(SizeShapes)]);
export const RecordsShape = {
  fields: key(count(1, 10_000), {
    says: 'Fields of a record: field0, field1 ...',
    fallback: '10',
    example: '4',
  }),
  fieldSize: key(fieldSize, {
    says: 'Size of a field, in all forms of the size of a value.',
    fallback: '100',
    example: '10..200',
  }),
  readAllFields: key(flag(), {
    says: 'Whether a read asks for all fields, or for one.',
    fallback: 'true',
    example: 'false',
  }),
  writeAllFields: key(flag(), {
    says: 'Whether an update writes all fields, or one.',
    fallback: 'false',
    example: 'true',
  }),
};
