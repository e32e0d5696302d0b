import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchCase, Contender, Score } from './bench-case.js';
import type { Job, JobDone } from './generator.js';

/** A driver of Pacecar on one engine thread, in a process of its own. */
export class PacecarContender implements Contender {
  readonly name: string;
  readonly #driver: string;
  readonly #port: number;
  readonly #generator: ChildProcess;

  constructor(driver: string, port: number, execArgv: readonly string[] = []) {
    this.name = `pacecar ${driver}`;
    this.#driver = driver;
    this.#port = port;
    this.#generator = fork(fileURLToPath(new URL('./generator.js', import.meta.url)), [], {
      execArgv: [...execArgv],
    });
  }

  async run(what: BenchCase, operations: number): Promise<Score> {
    const done = await this.#do(what, operations, 12);
    if (done.operations !== operations || done.ok !== operations)
      throw new Error(`${done.ok} of ${done.operations} operations succeeded, ${operations} were asked for`);
    return {
      operations,
      operationsPerSec: operations / (done.elapsedNs / 1e9),
      cpuUsPerOperation: done.cpuUs / operations,
    };
  }

  /** Writes every key once, as the C tools write them: with twelve digits and with as many as there are. */
  async load(what: BenchCase): Promise<void> {
    for (const width of [12, 0]) await this.#do({ ...what, operation: 'set' }, null, width);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#generator.once('exit', resolve));
    this.#generator.disconnect();
    await ended;
  }

  #do(what: BenchCase, operations: number | null, width: number): Promise<JobDone> {
    const job: Job = {
      driver: this.#driver,
      port: this.#port,
      operation: what.operation === 'get' ? 'get' : 'put',
      depth: what.depth,
      connections: what.connections,
      valueBytes: what.valueBytes,
      keys: what.keys,
      width,
      operations,
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
