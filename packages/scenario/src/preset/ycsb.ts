import { type Action, plainAction } from '@pacecar/protocol';
import type { WorkloadLayer, WrittenDistribution } from '../workload/layer.js';
import type { Preset, YcsbPreset } from './preset.js';

const ZIPFIAN: WrittenDistribution = { kind: 'zipfian', exponent: 0.99, scrambled: true };
const LATEST: WrittenDistribution = { kind: 'latest', exponent: 0.99 };
/** The longest scan; each length from 1 on is equally likely. */
const LONGEST_SCAN = 100;

interface CoreWorkload {
  readonly says: string;
  readonly actions: readonly Action[];
  readonly distribution: WrittenDistribution;
}

/** The core workloads of the Yahoo! Cloud Serving Benchmark. */
export const YCSB_WORKLOADS: Readonly<Record<YcsbPreset, CoreWorkload>> = {
  'ycsb-a': {
    says: 'update heavy: 50 % reads, 50 % updates, zipfian',
    actions: [plainAction('readRecord', 50), plainAction('updateRecord', 50)],
    distribution: ZIPFIAN,
  },
  'ycsb-b': {
    says: 'read mostly: 95 % reads, 5 % updates, zipfian',
    actions: [plainAction('readRecord', 95), plainAction('updateRecord', 5)],
    distribution: ZIPFIAN,
  },
  'ycsb-c': {
    says: 'read only, zipfian',
    actions: [plainAction('readRecord', 100)],
    distribution: ZIPFIAN,
  },
  'ycsb-d': {
    says: 'read latest: 95 % reads of what was inserted last, 5 % inserts',
    actions: [plainAction('readRecord', 95), plainAction('insertRecord', 5)],
    distribution: LATEST,
  },
  'ycsb-e': {
    says: 'short ranges: 95 % scans of 1 to 100 records, 5 % inserts, zipfian',
    actions: [{ ...plainAction('scanRecords', 95), batch: LONGEST_SCAN }, plainAction('insertRecord', 5)],
    distribution: ZIPFIAN,
  },
  'ycsb-f': {
    says: 'read-modify-write: 50 % reads, 50 % read-modify-writes, zipfian',
    actions: [plainAction('readRecord', 50), plainAction('readModifyWriteRecord', 50)],
    distribution: ZIPFIAN,
  },
};

/** What all of them take for granted: 1000 records of 10 fields of 100 bytes under user<hash of the number>. */
const FILLS: WorkloadLayer = {
  records: {
    fields: 10,
    fieldSize: { kind: 'fixed', bytes: 100 },
    readAllFields: true,
    writeAllFields: false,
  },
  keyRange: { minimum: 0, maximum: 999 },
  keyPrefix: 'user',
  keyOrder: 'hashed',
};

export function ycsb(name: YcsbPreset): Preset {
  const { actions, distribution } = YCSB_WORKLOADS[name];
  return { fills: { ...FILLS, distribution }, says: { mix: { mode: 'random', actions } } };
}
