import { z } from 'zod';
import { LIMITS } from './limits.js';
import { NameSchema } from './plan.js';

/** What a machine can send at most with this program, measured against the built-in target (`pacecar calibrate`). */
export const CALIBRATION_VERSION = 1;

/** One item read, one item written: what a ceiling is known of. */
export const CALIBRATED_OPERATIONS = ['get', 'put'] as const;
export type CalibratedOperation = (typeof CALIBRATED_OPERATIONS)[number];

export const CalibrationCellSchema = z
  .object({
    driver: NameSchema,
    operation: z.enum(CALIBRATED_OPERATIONS),
    threads: z.int().min(1).max(LIMITS.threadsPerWorker).describe('Engine threads.'),
    connections: z.int().min(1).max(LIMITS.connectionsPerWorker).describe('Over all threads.'),
    depth: z.int().min(1).max(LIMITS.depth),
    valueBytes: z.int().min(0).max(LIMITS.valueBytes),
    operationsPerSec: z.number().positive().describe('What was achieved against the built-in target.'),
    cpuUsPerOperation: z
      .number()
      .positive()
      .describe('User and system time of the whole generator for one operation.'),
    bytesPerOperation: z
      .number()
      .min(0)
      .describe('Of the longer direction: what a get receives, what a put sends.'),
    generatorCores: z.number().min(0).describe('CPU time of the generator per second of the clock.'),
    targetCores: z.number().min(0).describe('The same of the built-in target, on the same machine.'),
    limitedBy: z
      .enum(['generator', 'target', 'machine', 'other'])
      .describe(
        'Who kept the cell from more. generator: its threads had no more time. target: its one thread had none. ' +
          'machine: together they used every core. other: none of these; other programs had the cores, or nobody.',
      ),
  })
  .readonly();
export type CalibrationCell = z.infer<typeof CalibrationCellSchema>;

export const CalibrationMachineSchema = z
  .object({
    hostname: z.string().max(253),
    platform: z.string().max(50),
    architecture: z.string().max(50),
    cpuModel: z.string().max(200),
    cpuCount: z.int().min(1),
    nodeVersion: z.string().max(50),
    pacecarVersion: z.string().max(50),
  })
  .readonly()
  .describe('Where it holds: a machine or a program that differs in one of these has no ceiling yet.');
export type CalibrationMachine = z.infer<typeof CalibrationMachineSchema>;

export const CalibrationSchema = z
  .object({
    calibrationVersion: z.literal(CALIBRATION_VERSION),
    measuredAt: z.string().max(40).describe('ISO 8601 wall time; only to show.'),
    machine: CalibrationMachineSchema,
    cells: z.array(CalibrationCellSchema).max(300).readonly(),
  })
  .readonly()
  .describe('What a machine can send at most, as `pacecar calibrate` measured it.');
export type Calibration = z.infer<typeof CalibrationSchema>;

export const CALIBRATED_FACTS = Object.keys(
  CalibrationMachineSchema.unwrap().shape,
) as (keyof CalibrationMachine)[];

/** What of a machine differs from where a calibration was made; empty: it holds there. */
export function calibrationDifferences(made: CalibrationMachine, here: CalibrationMachine): string[] {
  return CALIBRATED_FACTS.filter((fact) => made[fact] !== here[fact]).map(
    (fact) => `${fact} is ${here[fact]}, not ${made[fact]}`,
  );
}

/**
 * Operations per second that the generator can do in a cell: what it did, or, where something else was the limit, what
 * its CPU time for one operation leaves room for on as many cores as it has threads.
 */
export function ceilingPerSec(cell: CalibrationCell, cpuCount: number): number {
  const cores = Math.min(cell.threads, cpuCount);
  return Math.max(cell.operationsPerSec, (cores * 1e6) / cell.cpuUsPerOperation);
}
