import {
  type Arm,
  asPacecarError,
  type FailureCode,
  LIMITS,
  PacecarError,
  type TargetFacts,
} from '@pacecar/protocol';
import type { Logger } from 'pino';
import { FrameMerge, type ProcessUsage } from '../engine/frame-merge.js';
import { InsertExchange } from '../engine/insert-exchange.js';
import { portionOf } from '../engine/portion.js';
import type { StageListener, StageLoad } from '../engine/stage-engine.js';
import type { FromThread, ToThread } from './thread-messages.js';
import type { EnginePool, PoolListener } from './thread-pool.js';

/** A stage under way, seen from the control thread. */
interface RunningStage {
  readonly number: number;
  readonly listener: StageListener;
  readonly threads: number;
  readonly merge: FrameMerge;
  readonly meter: ProcessMeter;
  readonly inserts: InsertExchange;
  armed: number;
  finished: number;
  connections: number;
  target: TargetFacts | null;
  elapsedNs: number;
  failure: { readonly code: FailureCode; readonly reason: string } | null;
}

/** Spreads a stage over its engine threads and puts what they report together again. One stage at a time. */
export class StageHost {
  readonly #logger: Logger;
  readonly #pool: EnginePool;
  #stage: RunningStage | null = null;
  #stages = 0;

  /** Threads start with the first stage and live until `close`. */
  constructor(logger: Logger, createPool: (listener: PoolListener) => EnginePool) {
    this.#logger = logger;
    this.#pool = createPool({
      message: (thread, message) => this.#receive(thread, message),
      died: (thread, reason) => this.#threadDied(thread, reason),
    });
  }

  /** It has no stage. */
  get isFree(): boolean {
    return this.#stage === null;
  }

  arm(arm: Arm, worker: number, listener: StageListener): StageLoad {
    this.#abandon();
    const number = this.#stages++;
    try {
      this.#begin(arm, worker, listener, number);
    } catch (thrown) {
      this.#stage = null;
      const error = asPacecarError(thrown);
      // A listener is never called from within a call to the engine.
      setImmediate(() => listener.failed(error.code, error.message));
    }
    const ifAtHand = (act: (stage: RunningStage) => void) => {
      if (this.#stage?.number === number) act(this.#stage);
    };
    return {
      go: (startAtMs) => ifAtHand((stage) => this.#go(stage, startAtMs)),
      stop: () => ifAtHand((stage) => this.#stop(stage)),
      inserted: (told) => ifAtHand(({ inserts }) => inserts.learn(told)),
      abandon: () => ifAtHand(() => this.#abandon()),
    };
  }

  async close(): Promise<void> {
    this.#stage = null;
    await this.#pool.close();
  }

  #go(stage: RunningStage, startAtMs: number): void {
    if (stage.threads === 0) {
      setImmediate(() => this.#finishIfDone(stage));
      return;
    }
    // What arming took is not the stage's.
    stage.meter.take();
    this.#sendAll({ type: 'go', stage: stage.number, startNs: Math.round(startAtMs * 1e6) });
  }

  #stop(stage: RunningStage): void {
    if (stage.threads === 0) setImmediate(() => this.#finishIfDone(stage));
    else this.#sendAll({ type: 'stop', stage: stage.number });
  }

  #abandon(): void {
    const stage = this.#stage;
    if (stage === null) return;
    this.#sendAll({ type: 'abandon', stage: stage.number });
    this.#stage = null;
  }

  #begin(arm: Arm, worker: number, listener: StageListener, number: number): void {
    const { spec } = arm;
    const portion = portionOf(spec, arm.share);
    const threads = portion.threads.length;
    if (threads > LIMITS.threadsPerWorker)
      throw new PacecarError(
        'LIMIT_EXCEEDED',
        `stage ${spec.name} asks for ${threads} engine threads on a worker, at most ${LIMITS.threadsPerWorker}`,
      );
    const intervalNs = Math.round(arm.intervalMs * 1e6);
    const meter = new ProcessMeter();
    const inserts = new InsertExchange(spec, portion.threads.flat());
    const stage: RunningStage = {
      number,
      listener,
      threads,
      merge: new FrameMerge({
        identity: { epoch: arm.epoch, worker, cell: arm.cell, stage: arm.stage },
        stage: spec,
        intervalNs,
        threads,
        usage: () => meter.take(),
        inserted: () => inserts.report(),
        frame: (sequence, bytes) => listener.frame(sequence, bytes),
      }),
      meter,
      inserts,
      armed: 0,
      finished: 0,
      connections: 0,
      target: null,
      elapsedNs: 0,
      failure: null,
    };
    this.#stage = stage;
    if (threads === 0) {
      setImmediate(() => {
        if (this.#stage === stage) listener.armed({ connections: 0, target: null });
      });
      return;
    }
    this.#pool.require(threads);
    portion.threads.forEach((lanes, thread) => {
      this.#pool.send(thread, {
        type: 'arm',
        stage: number,
        spec,
        configuration: arm.configuration,
        lanes,
        identity: { seed: arm.seed, stage: arm.stage, worker },
        intervalNs,
        insertMemory: inserts.memory,
        inspects: thread === 0,
      });
    });
    this.#logger.debug(
      { stage: spec.name, threads, connections: portion.connections },
      'stage is being armed',
    );
  }

  #receive(thread: number, message: FromThread): void {
    const stage = this.#stage;
    if (stage === null || message.stage !== stage.number) return;
    switch (message.type) {
      case 'armed':
        stage.armed++;
        stage.connections += message.connections;
        stage.target ??= message.target;
        if (stage.armed === stage.threads)
          stage.listener.armed({ connections: stage.connections, target: stage.target });
        return;
      case 'part':
        stage.merge.add(thread, message.part);
        return;
      case 'finished':
        stage.finished++;
        stage.elapsedNs = Math.max(stage.elapsedNs, message.elapsedNs);
        stage.failure ??= message.failure;
        stage.merge.finish(thread);
        this.#finishIfDone(stage);
        return;
      case 'failed':
        this.#fail(message.code, message.reason);
    }
  }

  #finishIfDone(stage: RunningStage): void {
    if (this.#stage !== stage || stage.finished < stage.threads) return;
    this.#stage = null;
    if (stage.failure !== null) {
      stage.listener.failed(stage.failure.code, stage.failure.reason);
      return;
    }
    stage.listener.drained({
      lastSequence: stage.merge.lastSequence,
      elapsedNs: stage.elapsedNs,
      totals: stage.merge.totals,
    });
  }

  #threadDied(thread: number, reason: string): void {
    this.#logger.error({ thread, reason }, 'an engine thread ended');
    if (this.#stage !== null && thread < this.#stage.threads)
      this.#fail('INTERNAL', `engine thread ${thread} ended in mid-stage: ${reason}`);
  }

  #fail(code: FailureCode, reason: string): void {
    const stage = this.#stage;
    if (stage === null) return;
    this.#abandon();
    stage.listener.failed(code, reason);
  }

  #sendAll(message: ToThread): void {
    for (let thread = 0; thread < (this.#stage?.threads ?? 0); thread++) this.#pool.send(thread, message);
  }
}

/** CPU time of the process since the last question, and the memory that it holds. */
class ProcessMeter {
  #before = process.cpuUsage();

  take(): ProcessUsage {
    const now = process.cpuUsage();
    const used = { cpuUserUs: now.user - this.#before.user, cpuSystemUs: now.system - this.#before.system };
    this.#before = now;
    return { ...used, residentBytes: process.memoryUsage.rss() };
  }
}
