import {
  type Calibration,
  CALIBRATION_VERSION,
  type CalibrationCell,
  decodeFrame,
  PacecarError,
} from '@pacecar/protocol';
import type { Logger } from 'pino';
import { DRIVERS } from '../drivers/registry.js';
import { createStageEngine } from '../engine-host/create-stage-engine.js';
import type { StageEngine } from '../engine/stage-engine.js';
import { calibrationMachine } from '../shell/calibration-file.js';
import { hostFacts } from '../shell/host-facts.js';
import { type CellSpec, calibrationCells, VALUE_BYTES } from './cells.js';
import { cellStage } from './cell-stage.js';
import { limitOf } from './limit.js';
import { TargetCpu } from './target-cpu.js';

export interface CalibrateOptions {
  /** Where a `pacecar target` of its own listens, on this machine. */
  readonly target: { readonly host: string; readonly port: number };
  readonly logger: Logger;
  /** Each cell as it is done; `of` is how many there are to be. */
  readonly progress: (cell: CalibrationCell, done: number, of: number) => void;
  /** How long it may take; what does not fit is left out, more engine threads first. */
  readonly budgetMs: number;
}

/** An engine thread's code is compiled while it runs: the first moments of a driver would not be its ceiling. */
const WARM_UP_MS = 400;
const START_LEAD_MS = 5;
/** Opening connections and draining, of a cell. */
const ASIDE_MS = 110;
/** Loading the target, and warming up a driver. */
const BEFORE_MS = 1_500;
/** Shorter cells would say little. */
const SHORTEST_CELL_MS = 50;

/**
 * Measures what this machine can send at most with each driver, by sending to a target that does as little as it can.
 * Throws PacecarError for a target that is not there, or that refuses.
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { target, logger, progress, budgetMs } = options;
  const originNs = process.hrtime.bigint();
  const nowMs = () => Number(process.hrtime.bigint() - originNs) / 1e6;
  const machine = calibrationMachine(hostFacts());
  const drivers = DRIVERS.filter(({ scheme }) => scheme === 'redis').map(({ name }) => name);
  const specs = calibrationCells(drivers, machine.cpuCount);
  const cellMs = Math.max(SHORTEST_CELL_MS, (budgetMs - BEFORE_MS) / specs.length - ASIDE_MS);
  const engine = createStageEngine({ originNs, logger });
  const cpu = await TargetCpu.open(target.host, target.port);
  const cells: CalibrationCell[] = [];
  const bench = new Bench(engine, target, nowMs);
  try {
    for (const valueBytes of VALUE_BYTES)
      await bench.run({ ...loading(drivers[0] as string), valueBytes }, null);
    const warm = new Set<string>();
    for (const spec of specs) {
      if (nowMs() + cellMs + ASIDE_MS > budgetMs) break;
      if (!warm.has(spec.driver)) {
        for (const operation of ['put', 'get'] as const)
          await bench.run({ ...spec, operation, depth: 8, valueBytes: 1_000 }, WARM_UP_MS / 2);
        warm.add(spec.driver);
      }
      const before = await cpu.usedUs();
      const done = await bench.run(spec, cellMs);
      if (done === null) continue;
      const targetCores = ((await cpu.usedUs()) - before) / 1e6 / done.elapsedSec;
      const generatorCores = done.cpuUs / 1e6 / done.elapsedSec;
      const cell: CalibrationCell = {
        ...spec,
        operationsPerSec: Math.round(done.operations / done.elapsedSec),
        cpuUsPerOperation: rounded(done.cpuUs / done.operations),
        bytesPerOperation: Math.round(done.bytes / done.operations),
        generatorCores: rounded(generatorCores),
        targetCores: rounded(targetCores),
        limitedBy: limitOf({
          generatorCores,
          targetCores,
          threads: spec.threads,
          cpuCount: machine.cpuCount,
        }),
      };
      cells.push(cell);
      progress(cell, cells.length, specs.length);
    }
  } finally {
    cpu.close();
    await engine.close();
  }
  if (cells.length === 0)
    throw new PacecarError(
      'DEADLINE_PASSED',
      `nothing could be measured within ${budgetMs} ms: this machine is too busy; calibrate while nothing else runs`,
    );
  return { calibrationVersion: CALIBRATION_VERSION, measuredAt: new Date().toISOString(), machine, cells };
}

interface Done {
  readonly operations: number;
  readonly elapsedSec: number;
  readonly cpuUs: number;
  readonly bytes: number;
}

/** Runs stages on the engine, one after the other. */
class Bench {
  readonly #engine: StageEngine;
  readonly #target: CalibrateOptions['target'];
  readonly #nowMs: () => number;
  #stages = 0;

  constructor(engine: StageEngine, target: CalibrateOptions['target'], nowMs: () => number) {
    this.#engine = engine;
    this.#target = target;
    this.#nowMs = nowMs;
  }

  /** null: this machine was too busy to begin in time. Throws PacecarError if the stage fails, or anything in it. */
  run(spec: CellSpec, durationMs: number | null): Promise<Done | null> {
    const arm = cellStage(spec, { ...this.#target, stage: this.#stages++ }, durationMs);
    return new Promise((resolve, reject) => {
      let cpuUs = 0;
      let bytes = 0;
      const load = this.#engine.arm(arm, 0, {
        armed: () => load.go(this.#nowMs() + START_LEAD_MS),
        frame: (_sequence, encoded) => {
          const frame = decodeFrame(encoded);
          cpuUs += frame.cpuUserUs + frame.cpuSystemUs;
          for (const row of frame.rows) bytes += spec.operation === 'get' ? row.bytesReceived : row.bytesSent;
        },
        drained: ({ elapsedNs, totals: [total] }) => {
          const { sent, ok } = total ?? { sent: 0, ok: 0 };
          if (sent === 0) resolve(null);
          else if (ok === sent) resolve({ operations: ok, elapsedSec: elapsedNs / 1e9, cpuUs, bytes });
          else
            reject(
              new PacecarError(
                'TARGET_PROTOCOL',
                `${ok} of ${sent} operations of ${spec.driver} succeeded on the built-in target`,
              ),
            );
        },
        failed: (code, reason) => reject(new PacecarError(code, reason)),
      });
    });
  }
}

function loading(driver: string): Omit<CellSpec, 'valueBytes'> {
  return { driver, operation: 'put', threads: 1, connections: 10, depth: 8 };
}

/** Three significant digits: more would not come out the same again. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
