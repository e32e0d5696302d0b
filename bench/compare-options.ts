import { parseArgs } from 'node:util';
import { OPERATIONS, type BenchOperation } from './bench-case.js';

/** Which part of the grid is compared, and for how long. */
export interface CompareOptions {
  readonly rounds: number;
  /** Of a run. */
  readonly seconds: number;
  /** No case begins after so many. */
  readonly minutes: number;
  readonly depths: readonly number[];
  readonly sizes: readonly number[];
  readonly connections: readonly number[];
  readonly operations: readonly BenchOperation[];
  readonly keys: number;
  /** Fewer keys if their values would take more than this. */
  readonly dataBytes: number;
  /** Drivers that run beside the wire driver, as they come, and with how many connections. */
  readonly beside: readonly string[];
  readonly besideConnections: readonly number[];
  readonly json: boolean;
}

const DATA_BYTES = 64 * 1024 * 1024;

export function readOptions(words: readonly string[]): CompareOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '0.4' },
      minutes: { type: 'string', default: '15' },
      depths: { type: 'string', default: '1,5,16,64' },
      sizes: { type: 'string', default: '3,1000,10000' },
      connections: { type: 'string', default: '1,50,200' },
      operations: { type: 'string', default: OPERATIONS.join(',') },
      keys: { type: 'string', default: '100000' },
      beside: { type: 'string', default: 'ioredis' },
      'beside-connections': { type: 'string', default: '50' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    minutes: positive('minutes', values.minutes),
    depths: positives('depths', values.depths),
    sizes: positives('sizes', values.sizes),
    connections: positives('connections', values.connections),
    operations: values.operations.split(',').map(operationOf),
    keys: positive('keys', values.keys),
    dataBytes: DATA_BYTES,
    beside: values.beside === '' ? [] : values.beside.split(','),
    besideConnections: positives('beside-connections', values['beside-connections']),
    json: values.json,
  };
}

function positives(option: string, text: string): number[] {
  return text.split(',').map((part) => positive(option, part));
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${option} ${text}: a number greater than 0 is needed`);
  return number;
}

function operationOf(text: string): BenchOperation {
  const known = OPERATIONS.find((operation) => operation === text);
  if (known === undefined) throw new Error(`--operations ${text}: known are ${OPERATIONS.join(', ')}`);
  return known;
}
