import assert from 'node:assert/strict';
import {
  type Action,
  type Arm,
  CAN_MISS,
  type Configuration,
  decodeFrame,
  Distribution,
  endedCount,
  type FailureCode,
  type Frame,
  type Keys,
  type Operation,
  plainAction,
  plainWorkload,
  type Records,
  type RowName,
  type Stage,
  type Target,
  type TargetFacts,
  type Totals,
  type Values,
  type Workload,
} from '@pacecar/protocol';
import { createStageEngine, type StageEngine, type StageListener, type StageLoad } from '@pacecar/worker';
import { pino } from 'pino';

/** They look nothing up. */
const WRITES: ReadonlySet<string> = new Set<Operation>([
  ...(['put', 'insert', 'increment', 'putAll', 'putRange', 'scan', 'updateRecord', 'insertRecord'] as const),
]);

/** Nothing that a suite asks for takes longer. */
const LIMIT_MS = 30_000;

export interface StageWishes {
  readonly port: number;
  readonly driver?: string;
  readonly settings?: Configuration['settings'];
  readonly host?: string;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
  readonly databaseName?: string;
  /** Changes of the target beyond the above. */
  readonly target?: Partial<Target>;
  readonly mix?: Partial<Record<Operation, number>>;
  /** In place of `mix`. Rows are named after the actions. */
  readonly actions?: readonly Action[];
  readonly content?: Values['content'];
  readonly keyShape?: Partial<Keys>;
  readonly records?: Records;
  readonly mixMode?: Workload['mixMode'];
  readonly end?: Stage['end'];
  readonly operations?: number;
  readonly durationMs?: number;
  readonly threads?: number;
  readonly connections?: number;
  readonly depth?: number;
  readonly keys?: number;
  readonly distribution?: 'uniform' | 'sequential' | 'partitioned';
  readonly width?: number;
  readonly bytes?: number | readonly [number, number];
  readonly checkValues?: boolean;
  readonly operationTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly drainMs?: number;
  readonly limitMs?: number;
  readonly seed?: number;
  readonly worker?: number;
  readonly workers?: number;
  readonly intervalMs?: number;
  /** Changes of the workload beyond the above, and workloads beside it. */
  readonly workload?: Partial<Workload>;
  readonly others?: readonly (Partial<Workload> & { readonly name: string })[];
}

export interface StageResult {
  readonly connections: number;
  readonly target: TargetFacts | null;
  readonly frames: readonly Frame[];
  readonly elapsedMs: number;
  readonly lastSequence: number;
  readonly totals: readonly Totals[];
  readonly failure: { readonly code: FailureCode; readonly reason: string } | null;
  /** From arm to armed or failed. */
  readonly armMs: number;
}

/** A stage engine of its own, on which stages are armed, started and collected. */
export class StageRig {
  readonly #originNs = process.hrtime.bigint();
  readonly engine: StageEngine = createStageEngine({
    originNs: this.#originNs,
    logger: pino({ level: 'silent' }),
  });
  /** The stage that was armed last. */
  load: StageLoad | null = null;
  #stages = 0;

  nowMs(): number {
    return Number(process.hrtime.bigint() - this.#originNs) / 1e6;
  }

  /** Runs a stage to its end. `onFrame` is called with each frame as it comes. */
  async run(wishes: StageWishes, onFrame?: (frame: Frame) => void): Promise<StageResult> {
    const begin = this.nowMs();
    const frames: Frame[] = [];
    let armed: { connections: number; target: TargetFacts | null } | null = null;
    let armMs = 0;
    return new Promise<StageResult>((resolve, reject) => {
      const deadline = setTimeout(
        () => reject(new Error(`no end of the stage after ${LIMIT_MS} ms`)),
        LIMIT_MS,
      );
      const finish = (end: Pick<StageResult, 'elapsedMs' | 'lastSequence' | 'totals' | 'failure'>) => {
        clearTimeout(deadline);
        resolve({
          connections: armed?.connections ?? 0,
          target: armed?.target ?? null,
          frames,
          armMs,
          ...end,
        });
      };
      const listener: StageListener = {
        armed: (report) => {
          armed = report;
          armMs = this.nowMs() - begin;
          this.load?.go(this.nowMs() + 20);
        },
        frame: (sequence, bytes) => {
          const frame = decodeFrame(bytes);
          assert.equal(sequence, frames.length);
          assert.equal(frame.sequence, sequence);
          frames.push(frame);
          onFrame?.(frame);
        },
        drained: ({ lastSequence, elapsedNs, totals }) =>
          finish({ elapsedMs: elapsedNs / 1e6, lastSequence, totals, failure: null }),
        failed: (code, reason) => {
          if (armed === null) armMs = this.nowMs() - begin;
          finish({ elapsedMs: 0, lastSequence: frames.length - 1, totals: [], failure: { code, reason } });
        },
      };
      this.load = this.engine.arm(armOf(wishes, this.#stages++), wishes.worker ?? 0, listener);
    });
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

function armOf(wishes: StageWishes, stage: number): Arm {
  return {
    type: 'arm',
    epoch: 1,
    cell: 0,
    stage,
    configuration: {
      name: 'configuration',
      driver: wishes.driver ?? 'resp',
      target: {
        kind: 'address',
        host: wishes.host ?? '127.0.0.1',
        port: wishes.port,
        username: wishes.username ?? null,
        password: wishes.password ?? null,
        database: wishes.database ?? 0,
        ...(wishes.databaseName === undefined ? {} : { databaseName: wishes.databaseName }),
        ...wishes.target,
      },
      settings: wishes.settings ?? {},
    },
    spec: specOf(wishes),
    share: { index: wishes.worker ?? 0, of: wishes.workers ?? 1 },
    seed: wishes.seed ?? 1,
    intervalMs: wishes.intervalMs ?? 100,
  };
}

function specOf(wishes: StageWishes): Stage {
  const workload = workloadOf(wishes);
  return {
    name: 'stage',
    kind: 'measure',
    group: 'clients',
    workloads: [workload, ...(wishes.others ?? []).map((other) => ({ ...workload, ...other }))],
    end: endOf(wishes),
    operationTimeoutMs: wishes.operationTimeoutMs ?? 10_000,
    connectTimeoutMs: wishes.connectTimeoutMs ?? 2_000,
    armTimeoutMs: 10_000,
    drainMs: wishes.drainMs ?? 2_000,
    limitMs: wishes.limitMs ?? 20_000,
    stopWhen: null,
    search: null,
  };
}

function workloadOf(wishes: StageWishes): Workload {
  const mix = Object.entries(wishes.mix ?? { get: 1 }) as [Operation, number][];
  return plainWorkload({
    name: 'workload',
    threads: { count: wishes.threads ?? 1, scope: 'worker' },
    connections: { count: wishes.connections ?? 2, scope: 'worker' },
    depth: wishes.depth ?? 1,
    mix: wishes.actions ?? mix.map(([operation, weight]) => plainAction(operation, weight)),
    mixMode: wishes.mixMode ?? 'random',
    keys: {
      maximum: (wishes.keys ?? 1_000) - 1,
      prefix: 'key:',
      width: wishes.width ?? 0,
      distribution: { kind: wishes.distribution ?? 'uniform' },
      ...wishes.keyShape,
    },
    values: { ...valuesOf(wishes.bytes ?? 20), content: wishes.content ?? { kind: 'printable' } },
    checkValues: wishes.checkValues ?? false,
    records: wishes.records ?? null,
    ...wishes.workload,
  });
}

function endOf(wishes: StageWishes): Stage['end'] {
  if (wishes.end !== undefined) return wishes.end;
  if (wishes.operations !== undefined)
    return { kind: 'operations', operations: { count: wishes.operations, scope: 'total' } };
  return { kind: 'duration', durationMs: wishes.durationMs ?? 500 };
}

function valuesOf(bytes: number | readonly [number, number]): Values {
  if (typeof bytes === 'number') return { size: { kind: 'fixed', bytes }, content: { kind: 'printable' } };
  return {
    size: { kind: 'uniform', minimumBytes: bytes[0], maximumBytes: bytes[1] },
    content: { kind: 'printable' },
  };
}

/** The totals of an operation; all zero if it was not in the mix. */
export function totalOf(result: StageResult, operation: string): Omit<Totals, 'workload' | 'operation'> {
  const found = result.totals.find((each) => each.operation === operation);
  const {
    workload: _workload,
    operation: _operation,
    ...counts
  } = found ?? {
    workload: '',
    operation,
    ...{ sent: 0, ok: 0, hits: 0, misses: 0, errors: 0, timeouts: 0, aborted: 0, late: 0, dropped: 0 },
  };
  return counts;
}

/** Errors by kind over all frames. */
export function errorsOf(result: StageResult): Record<string, number> {
  const errors: Record<string, number> = {};
  for (const row of result.frames.flatMap((frame) => frame.rows)) {
    for (const [kind, count] of Object.entries(row.errors)) errors[kind] = (errors[kind] ?? 0) + count;
  }
  return errors;
}

function distributionOf(encoded: Uint8Array): Distribution {
  const distribution = new Distribution();
  distribution.addEncoded(encoded);
  return distribution;
}

const nameOf = ({ workload, operation }: RowName): string => `${workload} ${operation}`;

/** All latencies of one kind over all frames. */
export function latenciesOf(result: StageResult, which: 'service' | 'failed' | 'response'): Distribution {
  const sum = new Distribution();
  for (const row of result.frames.flatMap((frame) => frame.rows)) sum.addEncoded(row[which]);
  return sum;
}

/**
 * What must hold of every stage: in each frame sent so far = ended so far + in flight and ok = hits + misses where
 * there are any; a latency for each operation that succeeded or failed; totals are the sums of the frames.
 */
export function checkIdentities(result: StageResult): void {
  const sums = new Map<string, Record<'sent' | 'ended' | 'ok' | 'inFlight', number>>();
  result.frames.forEach((frame, index) => {
    assert.equal(frame.interval, index);
    assert.ok(frame.endNs >= frame.startNs);
    for (const row of frame.rows) {
      const sum = sums.get(nameOf(row)) ?? { sent: 0, ended: 0, ok: 0, inFlight: 0 };
      sum.sent += row.sent;
      sum.ended += endedCount(row);
      sum.ok += row.ok;
      sum.inFlight = row.inFlight;
      sums.set(nameOf(row), sum);
      assert.equal(sum.sent, sum.ended + row.inFlight, `frame ${index}, ${row.operation}`);
      // Rows are named after actions; one of another name counts by item, or as its operation says.
      if (CAN_MISS.has(row.operation)) assert.equal(row.ok, row.hits + row.misses);
      else if (WRITES.has(row.operation)) assert.deepEqual([row.hits, row.misses], [0, 0], row.operation);
      const service = new Distribution();
      service.addEncoded(row.service);
      assert.equal(service.count, row.ok);
      const failed = new Distribution();
      failed.addEncoded(row.failed);
      assert.equal(failed.count, endedCount(row) - row.ok - row.aborted);
      if (row.pacing === undefined) continue;
      // By a schedule: each operation has an error of its start, and each that succeeded a response time.
      assert.equal(distributionOf(row.pacing).count, row.sent);
      assert.equal(distributionOf(row.response).count, row.ok);
    }
  });
  for (const total of result.totals) {
    const sum = sums.get(nameOf(total));
    assert.deepEqual(
      { sent: sum?.sent, ok: sum?.ok, inFlight: sum?.inFlight },
      { sent: total.sent, ok: total.ok, inFlight: 0 },
    );
    assert.equal(total.sent, total.ok + total.errors + total.timeouts + total.aborted);
  }
}
