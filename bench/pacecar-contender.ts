import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchCase, Contender, Score } from './bench-case.js';
import type { Job, JobDone } from './generator.js';

const PROBE_MS = 200;
/** From the order to run to the common start, and from the last answer to the totals. */
const ARMING_SEC = 0.2;
const OPERATIONS = { get: 'get', set: 'put', '80:20': 'mix' } as const;
/** The keys of redis-benchmark have twelve digits, those of memtier_benchmark as many as they need. */
const KEY_WIDTHS = [12, 0] as const;

/** A driver of Pacecar on one engine thread, in a process of its own. */
export class PacecarContender implements Contender {
  readonly name: string;
  readonly #driver: string;
  readonly #port: number;
  readonly #connections: readonly number[] | null;
  readonly #generator: ChildProcess;

  /** `connections`: takes only cases with so many; null: all. `execArgv`: for the process that it measures. */
  constructor(
    driver: string,
    port: number,
    {
      connections = null,
      execArgv = [],
    }: { connections?: readonly number[] | null; execArgv?: string[] } = {},
  ) {
    this.name = `pacecar ${driver}`;
    this.#driver = driver;
    this.#port = port;
    this.#connections = connections;
    this.#generator = fork(fileURLToPath(new URL('./generator.js', import.meta.url)), [], { execArgv });
  }

  takes({ connections }: BenchCase): boolean {
    return this.#connections === null || this.#connections.includes(connections);
  }

  lastsSec(seconds: number): number {
    return seconds + ARMING_SEC;
  }

  async probe(what: BenchCase): Promise<number> {
    const done = await this.#do(what, { kind: 'duration', durationMs: PROBE_MS }, KEY_WIDTHS[0]);
    return done.ok / (done.elapsedNs / 1e9);
  }

  async run(what: BenchCase, operations: number): Promise<Score> {
    const count = { count: operations, scope: 'total' } as const;
    const done = await this.#do(what, { kind: 'operations', operations: count }, KEY_WIDTHS[0]);
    if (done.operations !== operations || done.ok !== operations || done.serviceTimes !== operations)
      throw new Error(
        `${done.operations} operations sent, ${done.ok} succeeded, ${done.serviceTimes} service times recorded; ` +
          `${operations} were asked for`,
      );
    return {
      operations,
      operationsPerSec: operations / (done.elapsedNs / 1e9),
      cpuUs: done.cpuUs,
      recorded: {
        serviceP50Us: done.serviceP50Ns / 1_000,
        serviceP99Us: done.serviceP99Ns / 1_000,
        misses: done.misses,
      },
    };
  }

  /** Writes every key once, as all contenders write them. */
  async load(what: BenchCase): Promise<void> {
    for (const width of KEY_WIDTHS) await this.#do({ ...what, operation: 'set' }, { kind: 'keys' }, width);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#generator.once('exit', resolve));
    this.#generator.disconnect();
    await ended;
  }

  #do(what: BenchCase, end: Job['end'], width: number): Promise<JobDone> {
    const job: Job = {
      driver: this.#driver,
      port: this.#port,
      operation: OPERATIONS[what.operation],
      depth: what.depth,
      connections: what.connections,
      valueBytes: what.valueBytes,
      keys: what.keys,
      width,
      end,
    };
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('the generator ended in the middle of a job'));
      this.#generator.once('exit', fail);
      this.#generator.once('message', (done) => {
        this.#generator.removeListener('exit', fail);
        resolve(done as JobDone);
      });
      this.#generator.send(job);
    });
  }
}
