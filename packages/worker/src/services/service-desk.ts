import { type Arm, asPacecarError, type ServiceNodeReport } from '@pacecar/protocol';
import type { ServiceKnowledge, StageListener, StageLoad } from '../engine/stage-engine.js';
import { type KeeperOptions, ServiceKeeper } from './keeper.js';
import { carryOut, prepare, type ServiceTask } from './service-task.js';

export interface ServiceDeskOptions extends Omit<KeeperOptions, 'onDeath'> {
  /** The address of this machine at which servers listen and are reached. */
  readonly host: () => string;
  /** ms of the process's monotonic clock. */
  readonly nowMs: () => number;
  /** A process of a service has ended without being told to. */
  readonly onDeath: (service: string, reason: string) => void;
}

/** Carries out the stages that send no load: what is done to services, and waiting. */
export class ServiceDesk {
  readonly #options: ServiceDeskOptions;
  /** Of the present run; made with its first service. */
  #keeper: ServiceKeeper | null = null;
  /** Those of earlier runs, on their way out. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: ServiceDeskOptions) {
    this.#options = options;
  }

  arm(arm: Arm, listener: StageListener): StageLoad {
    return arm.spec.kind === 'wait'
      ? new Pause(arm, listener, this.#options.nowMs)
      : new Errand(listener, this.#task(arm));
  }

  /** Ends every service. */
  release(): void {
    const keeper = this.#keeper;
    if (keeper === null) return;
    this.#keeper = null;
    const closing = keeper.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Resolves when no process is left. */
  async close(): Promise<void> {
    this.release();
    await Promise.all(this.#closing);
  }

  #task({ spec, service, share }: Arm): ServiceTask {
    const { action } = spec;
    if (action === undefined || service === undefined)
      throw new Error(`the service stage ${spec.name} has no service`);
    const { host, onDeath, ...options } = this.#options;
    const keeper = (this.#keeper ??= new ServiceKeeper({
      ...options,
      onDeath: (name, reason) => {
        // One that is being released has nobody to tell any more.
        if (this.#keeper === keeper) onDeath(name, reason);
      },
    }));
    return { keeper, action, service, share, host: host() };
  }
}

const NOTHING_SENT = { lastSequence: -1, totals: [] } as const;

/** Time that passes. */
class Pause implements StageLoad {
  readonly #arm: Arm;
  readonly #listener: StageListener;
  readonly #nowMs: () => number;
  #startAtMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(arm: Arm, listener: StageListener, nowMs: () => number) {
    this.#arm = arm;
    this.#listener = listener;
    this.#nowMs = nowMs;
    listener.armed({ connections: 0, target: null });
  }

  go(startAtMs: number): void {
    const { end } = this.#arm.spec;
    this.#startAtMs = startAtMs;
    const endMs = startAtMs + (end.kind === 'duration' ? end.durationMs : 0);
    this.#timer = setTimeout(() => this.#drain(), Math.max(0, endMs - this.#nowMs()));
  }

  stop(): void {
    if (this.#timer !== null) this.#drain();
  }

  inserted(): void {
    // Nothing is read.
  }

  abandon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #drain(): void {
    this.abandon();
    const elapsedNs = Math.max(0, Math.round((this.#nowMs() - this.#startAtMs) * 1e6));
    this.#listener.drained({ ...NOTHING_SENT, elapsedNs });
  }
}

/** Something that is done to a service. Nobody waits for what goes on after it was stopped or abandoned. */
class Errand implements StageLoad {
  readonly #task: ServiceTask;
  #listener: StageListener | null;
  #beganMs = 0;

  constructor(listener: StageListener, task: ServiceTask) {
    this.#task = task;
    this.#listener = listener;
    prepare(task).then(
      (nodes) =>
        this.#listener?.armed({ connections: 0, target: null, ...(nodes === undefined ? {} : { nodes }) }),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  go(_startAtMs: number, known: ServiceKnowledge = {}): void {
    this.#beganMs = performance.now();
    carryOut(this.#task, known).then(
      (report) => this.#drain(report),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  stop(): void {
    this.#drain([]);
  }

  inserted(): void {
    // Nothing is read.
  }

  abandon(): void {
    this.#listener = null;
  }

  #drain(report: readonly ServiceNodeReport[]): void {
    const elapsedNs = Math.round((performance.now() - this.#beganMs) * 1e6);
    const listener = this.#listener;
    this.#listener = null;
    listener?.drained({ ...NOTHING_SENT, elapsedNs, report });
  }

  #fail(thrown: unknown): void {
    const { code, message } = asPacecarError(thrown);
    const listener = this.#listener;
    this.#listener = null;
    listener?.failed(code, message.slice(0, 2_000));
  }
}
