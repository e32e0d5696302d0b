import { type Arm, plainAction, plainStage, plainWorkload, type Stage } from '@pacecar/protocol';
import type { CellSpec } from './cells.js';

/** So few that they are in every cache: the ceiling is the generator's, not the memory's. */
const KEYS = 1_000;

/** One stage of the calibration as a coordinator would ask for it: for `durationMs`, or every key once. */
export function cellStage(
  cell: CellSpec,
  at: { readonly host: string; readonly port: number; readonly stage: number },
  durationMs: number | null,
): Arm {
  const end: Stage['end'] = durationMs === null ? { kind: 'keys' } : { kind: 'duration', durationMs };
  return {
    type: 'arm',
    epoch: 1,
    cell: 0,
    stage: at.stage,
    configuration: {
      name: 'built-in',
      driver: cell.driver,
      target: {
        kind: 'address',
        host: at.host,
        port: at.port,
        username: null,
        password: null,
        database: 0,
      },
      settings: {},
    },
    spec: plainStage({
      name: 'calibrate',
      workloads: [
        plainWorkload({
          name: 'calibrate',
          threads: { count: cell.threads, scope: 'worker' },
          connections: { count: cell.connections, scope: 'worker' },
          depth: cell.depth,
          mix: [plainAction(cell.operation, 1)],
          keys: { maximum: KEYS - 1, prefix: `calibrate:${cell.valueBytes}:` },
          values: { size: { kind: 'fixed', bytes: cell.valueBytes }, content: { kind: 'printable' } },
        }),
      ],
      end,
      operationTimeoutMs: 10_000,
      connectTimeoutMs: 5_000,
      drainMs: 5_000,
      limitMs: 20_000,
    }),
    share: { index: 0, of: 1 },
    seed: 1,
    // One frame, when the stage is over.
    intervalMs: 60_000,
  };
}
