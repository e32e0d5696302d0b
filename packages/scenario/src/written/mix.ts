import { OPERATION_MEANINGS, OPERATIONS, type Operation } from '@pacecar/protocol';
import { z } from 'zod';
import { key, required } from '../key-doc.js';
import { bytes, count, duration, flag, name, text, turns, weight } from './scalar.js';

/** What is sent, as it is written. */

const COMMAND_LENGTH = 1024 * 1024;
/** The text of a command. */
export const CommandTextSchema = text(COMMAND_LENGTH);
/** A command that is too long for a line. */
export const CommandFileShape = {
  file: required(text(4_000), {
    says: 'A file with the command, relative to the scenario.',
    example: 'big.txt',
  }),
};
const CommandSchema = z.union([CommandTextSchema, z.strictObject(CommandFileShape)]);

/** What an action can be told beside its weight. */
export const PARAMETER_SHAPE = {
  name: key(name(), {
    says: 'Names the row in the report. By default the operation; of a command its first word.',
    example: 'short-lived',
  }),
  batch: key(count(1, 10_000), {
    says: 'Items of one operation. By default 10, of scanRecords 100.',
    example: '50',
  }),
  timeToLive: key(duration(1), {
    says: 'The key expires this long after it was written. By default never; expire must say it.',
    example: '10s',
  }),
  offset: key(bytes(), {
    says: 'Where the part of the value begins. By default at its beginning.',
    example: '100',
  }),
  length: key(bytes(1), { says: 'Length of the part of the value; must be said.', example: '50' }),
  inline: key(flag(), {
    says: 'Whether the command is sent as a line of text instead of an array, as by telnet. By default not.',
    example: 'true',
  }),
};
export type Parameter = keyof typeof PARAMETER_SHAPE;

/** The parameters of each operation, beside its name. */
export const PARAMETERS: Readonly<Record<Operation, readonly Parameter[]>> = {
  get: [],
  put: ['timeToLive'],
  add: ['timeToLive'],
  replace: [],
  insert: ['timeToLive'],
  delete: [],
  increment: [],
  getAll: ['batch'],
  putAll: ['batch'],
  expire: ['timeToLive'],
  getRange: ['offset', 'length'],
  putRange: ['offset', 'length'],
  scan: ['batch'],
  readModifyWrite: [],
  readRecord: [],
  updateRecord: [],
  insertRecord: [],
  scanRecords: ['batch'],
  readModifyWriteRecord: [],
  command: ['inline'],
  transaction: [],
};

/** Operations that a mapping of a mix can name; the others carry texts and stand in a list. */
export const PLAIN_OPERATIONS = OPERATIONS.filter(
  (operation): operation is Exclude<Operation, 'command' | 'transaction'> =>
    operation !== 'command' && operation !== 'transaction',
);

/** Schemas of single weights, for both modes. */
export const SHARE = { random: weight(), ratio: turns() } as const;

/** `share` is what a weight is in a mix, and turns in a ratio. */
const actionShape = (share: z.ZodType, operation: Operation) =>
  z.strictObject({
    weight: key(share, { says: 'As the number alone. By default 1.', example: '5' }),
    name: PARAMETER_SHAPE.name,
    ...Object.fromEntries(PARAMETERS[operation].map((parameter) => [parameter, PARAMETER_SHAPE[parameter]])),
  });

const mapped = (share: z.ZodType) =>
  z.strictObject(
    Object.fromEntries(
      PLAIN_OPERATIONS.map((operation) => [
        operation,
        key(z.union([share, actionShape(share, operation)]), {
          says: OPERATION_MEANINGS[operation],
          example: '80',
        }),
      ]),
    ),
  );

const listed = (share: z.ZodType) =>
  z.array(
    z.strictObject({
      ...Object.fromEntries(
        PLAIN_OPERATIONS.map((operation) => [
          operation,
          key(z.union([share, actionShape(share, operation)]), { says: OPERATION_MEANINGS[operation] }),
        ]),
      ),
      command: key(CommandSchema, { says: OPERATION_MEANINGS.command }),
      transaction: key(z.array(CommandSchema), { says: OPERATION_MEANINGS.transaction }),
      weight: key(share, { says: 'As the number behind the operation. By default 1.' }),
      ...PARAMETER_SHAPE,
    }),
  );

export const mixKey = () =>
  key(z.union([mapped(SHARE.random), listed(SHARE.random)]), {
    says: 'Operations and their weights, drawn at random by the seed. With percent signs they must add up to 100 %. A mapping, or a list where an operation stands several times or is a command (see Operations).',
    fallback: '{ get: 80, put: 20 }',
    example: '{ get: 95%, putAll: { weight: 5%, batch: 10 } }',
  });

export const ratioKey = () =>
  key(z.union([mapped(SHARE.ratio), listed(SHARE.ratio)]), {
    says: 'In place of `mix`: whole numbers of turns. Each connection does the first operation so often, then the second, and round again.',
    example: '{ put: 1, get: 10 }',
  });
