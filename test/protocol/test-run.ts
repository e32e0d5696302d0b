import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import {
  type CoordinatorOptions,
  type Progress,
  type RunningCoordinator,
  startCoordinator,
} from '@pacecar/coordinator';
import {
  BUNDLE_FILES,
  decodeFrame,
  type Event,
  EventSchema,
  type Frame,
  type Plan,
  readFrameLog,
} from '@pacecar/protocol';
import { pino } from 'pino';
import { until } from '../e2e/deadline.js';
import { ChildFleet, type TargetChild, type WorkerChild, type WorkerChildOptions } from './child-fleet.js';

export const TOKEN = 'a-token-for-tests';

/** A coordinator in this process, workers and target in their own, and the bundle in a temporary directory. */
export class TestRun {
  readonly fleet: ChildFleet;
  readonly target: TargetChild;
  readonly directory: string;
  readonly progress: Progress[] = [];
  #coordinator: RunningCoordinator | null = null;
  #log = '';

  private constructor(fleet: ChildFleet, target: TargetChild, directory: string) {
    this.fleet = fleet;
    this.target = target;
    this.directory = directory;
  }

  /** Everything it starts is gone when the test is over. */
  static async begin(t: TestContext): Promise<TestRun> {
    const fleet = new ChildFleet();
    const parent = await mkdtemp(join(tmpdir(), 'pacecar-protocol-'));
    let run: TestRun | null = null;
    t.after(async () => {
      await run?.stop();
      await fleet.end();
      await rm(parent, { recursive: true, force: true });
    });
    const begun = new TestRun(fleet, await fleet.target(), join(parent, 'bundle'));
    run = begun;
    return begun;
  }

  async coordinate(plan: Plan, more: Partial<CoordinatorOptions> = {}): Promise<RunningCoordinator> {
    const sink = new Writable({
      write: (chunk, _, done) => {
        this.#log += String(chunk);
        done();
      },
    });
    this.#coordinator = await startCoordinator({
      plan,
      scenarioText: `pacecar: 1 # ${TOKEN}\n`,
      bundleDirectory: this.directory,
      commandLine: ['pacecar', 'run', `--token=${TOKEN}`],
      listen: { host: '127.0.0.1', port: 0 },
      token: TOKEN,
      tls: null,
      logger: pino({ level: 'debug' }, sink),
      onProgress: (progress) => this.progress.push(progress),
      ...more,
    });
    return this.#coordinator;
  }

  get coordinator(): RunningCoordinator {
    if (this.#coordinator === null) throw new Error('the test has not started a coordinator');
    return this.#coordinator;
  }

  async stop(): Promise<void> {
    this.#coordinator?.interrupt('SIGTERM');
    await this.#coordinator?.finished;
  }

  worker(more: Partial<WorkerChildOptions> = {}): WorkerChild {
    return this.fleet.worker({
      join: this.coordinator.url,
      token: TOKEN,
      name: null,
      group: null,
      index: null,
      afterRun: 'exit',
      caFile: null,
      ...more,
    });
  }

  /** What the coordinator logged. */
  log(): string {
    return this.#log;
  }

  async events(): Promise<Event[]> {
    const text = await readFile(join(this.directory, BUNDLE_FILES.events), 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => EventSchema.parse(JSON.parse(line)));
  }

  /** Waits until an event stands in the bundle, or as many of them as asked for; gives the last of these. */
  event<K extends Event['type']>(
    type: K,
    matches: (event: Event & { type: K }) => boolean = () => true,
    times = 1,
  ): Promise<Event & { type: K }> {
    const wanted = (event: Event): event is Event & { type: K } =>
      event.type === type && matches(event as Event & { type: K });
    return until(
      `${times} events ${type} are recorded`,
      async () => (await this.events()).filter(wanted)[times - 1] ?? null,
      30_000,
      () => this.#log,
    );
  }

  /** Every frame of a worker's log, which must end cleanly, in the order of the log. */
  async frames(worker: number): Promise<Frame[]> {
    const log = await readFile(join(this.directory, BUNDLE_FILES.frames(worker)));
    const frames: Frame[] = [];
    const end = readFrameLog(log, (bytes) => frames.push(decodeFrame(bytes)));
    if (end.damage !== null) throw new Error(end.damage);
    return frames;
  }
}
