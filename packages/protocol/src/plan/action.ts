import { z } from 'zod';
import { NameSchema } from './name.js';
import { milliseconds, valueBytes as bytes } from './quantities.js';

/** Operations that drivers know, each with what it does. A driver declares which of them it supports. */
export const OPERATION_MEANINGS = {
  get: 'read the value of a key',
  put: 'write the value of a key',
  add: 'write the value of a key that is absent; a present one is a miss',
  replace: 'write the value of a key that is present; an absent one is a miss',
  insert:
    'write a key that no other operation of the run has written: past the range, disjoint over all workers; ' +
    'in a stage that does every key once, of the range',
  delete: 'remove a key; an absent one is a miss',
  increment: 'add one to the counter under a key',
  getAll: 'read the values of `batch` keys at once',
  putAll: 'write the values of `batch` keys at once',
  expire: 'set the time to live of a key; an absent one is a miss',
  getRange: 'read a part of the value of a key',
  putRange: 'overwrite a part of the value of a key',
  scan: 'one step of a walk over all keys, `batch` keys wide',
  readModifyWrite: 'read a key, then write it; the time of both is one',
  readRecord: 'read a record: all fields or one',
  updateRecord: 'write all fields of a record or one',
  insertRecord: 'write all fields of a record that no other operation of the run has written, as insert does',
  scanRecords:
    'read 1 to `batch` records, each number equally likely, in the order of their keys, from one on',
  readModifyWriteRecord: 'read a record, then write it; the time of both is one',
  command: "any command of the target's own language",
  transaction: 'several commands that happen together',
} as const;
export type Operation = keyof typeof OPERATION_MEANINGS;
export const OPERATIONS = Object.keys(OPERATION_MEANINGS) as [Operation, ...Operation[]];
export const OperationSchema = z.enum(OPERATIONS);

/** Operations that look up what was written before; a miss of one says that it measured an empty target. */
export const READS: ReadonlySet<string> = new Set<Operation>([
  'get',
  'getAll',
  'getRange',
  'readModifyWrite',
  'readRecord',
  'readModifyWriteRecord',
]);

/** Operations that write keys which nobody has written. */
export const INSERTS: ReadonlySet<string> = new Set<Operation>(['insert', 'insertRecord']);

/** Operations on one key that find it or miss it: ok = hits + misses. Others count hits and misses by item. */
export const CAN_MISS: ReadonlySet<string> = new Set<Operation>([
  'get',
  'add',
  'replace',
  'delete',
  'expire',
  'getRange',
  'readModifyWrite',
  'readRecord',
  'readModifyWriteRecord',
]);

/** One entry of a workload's mix: an operation with its parameters; null where it has none of that kind. */
export const ActionSchema = z
  .object({
    name: NameSchema.describe('Names the row in the report; unique in the workload.'),
    operation: OperationSchema,
    weight: z
      .number()
      .positive()
      .max(1e9)
      .describe('Share of the operations; in mode ratio a whole number of turns.'),
    batch: z.int().min(1).max(10_000).nullable().describe('Items of getAll, putAll, scan and scanRecords.'),
    timeToLiveMs: milliseconds.min(1).nullable().describe('Of put, add, insert and expire; null: for ever.'),
    range: z
      .object({ offsetBytes: bytes, lengthBytes: bytes })
      .readonly()
      .nullable()
      .describe('Of getRange and putRange.'),
    commands: z
      .array(
        z
          .string()
          .min(1)
          .max(1024 * 1024),
      )
      .max(100)
      .readonly()
      .describe('Of command (one) and transaction (several): text with __placeholders__.'),
    inline: z.boolean().describe('Of command: sent as a line of text instead of an array of strings.'),
  })
  .readonly();
export type Action = z.infer<typeof ActionSchema>;

/** An operation without parameters, named after itself. */
export function plainAction(operation: Operation, weight: number): Action {
  return {
    name: operation,
    operation,
    weight,
    batch: null,
    timeToLiveMs: null,
    range: null,
    commands: [],
    inline: false,
  };
}
