import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { PacecarError } from '@pacecar/protocol';
import type { Address } from '../flag.js';
import { PacecarChild } from './pacecar-child.js';

const START_LIMIT_MS = 10_000;
const LEAVE_MS = 2_000;

/** The built-in target of a local run, in a process of its own. */
export class TargetChild {
  readonly address: Address;
  readonly #child: PacecarChild;

  private constructor(child: PacecarChild, address: Address) {
    this.#child = child;
    this.address = address;
  }

  /** Resolves once it listens. Throws INTERNAL if it does not. */
  static async start(): Promise<TargetChild> {
    const child = new PacecarChild({
      title: 'the built-in target',
      arguments: ['target', '--port', '0', '--json', '--log-level', 'info', '--log-format', 'json'],
      environment: {},
      stdout: 'pipe',
      log: 'pipe',
    });
    let timer: NodeJS.Timeout | undefined;
    try {
      const address = await Promise.race([
        addressOf(child),
        child.ended.then((end) => {
          throw new PacecarError('INTERNAL', child.story(end));
        }),
        new Promise<never>((_, reject) => {
          timer = setTimeout(
            () =>
              reject(
                new PacecarError('INTERNAL', `${child.title} did not listen within ${START_LIMIT_MS} ms`),
              ),
            START_LIMIT_MS,
          );
        }),
      ]);
      return new TargetChild(child, address);
    } catch (error) {
      child.process.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** From now on, and with what it said before, its log goes into this file. */
  logTo(path: string): void {
    const { stderr } = this.#child.process;
    const file = createWriteStream(path, { flags: 'a' });
    // A log that does not fit on the disk must not end the run, nor hold up the target that writes it.
    file.on('error', () => stderr?.resume());
    stderr?.pipe(file);
  }

  /** Ends it; resolves when it is gone and its log is whole. */
  async stop(): Promise<void> {
    this.#child.process.kill('SIGTERM');
    await this.#child.stop(LEAVE_MS);
    const log = this.#child.process.stderr;
    if (log !== null && !log.readableEnded && log.readableFlowing === true) await finished(log);
  }
}

/** The first line it prints: {"host": "127.0.0.1", "port": 40123}. */
async function addressOf(child: PacecarChild): Promise<Address> {
  const output = child.process.stdout;
  if (output === null) throw new PacecarError('INTERNAL', `${child.title} has no standard output`);
  for await (const line of createInterface({ input: output })) {
    const { host, port } = JSON.parse(line) as Address;
    return { host, port };
  }
  throw new PacecarError('INTERNAL', `${child.title} ended before it listened`);
}
