import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, PacecarError, type Plan, systemReason } from '@pacecar/protocol';
import { prettyLine } from '../logging/pretty-line.js';
import { shortPath } from '../terminal/short-path.js';
import { type ChildEnd, PacecarChild } from './pacecar-child.js';
import { logTail } from './log-tail.js';

/** How long a worker has to leave by itself after a run that went to its end, and after one that did not. */
const LEAVE_MS = { ended: 5_000, broken: 300 } as const;
const TAIL_LINES = 10;

interface Member {
  readonly child: PacecarChild;
  readonly log: string;
}

/** The workers of a local run: one process of this command each, all of them ended when the run is. */
export class WorkerCrew {
  readonly #members: readonly Member[];

  /**
   * Starts every worker of the plan. Their logs stand in `logs/worker-N.log` of the bundle. The token travels in the
   * environment, which only this user can read, and not on a command line, which everybody can.
   */
  constructor(options: {
    plan: Plan;
    join: string;
    token: string;
    bundleDirectory: string;
    logLevel: string;
  }) {
    const folder = join(options.bundleDirectory, 'logs');
    storing(folder, () => mkdirSync(folder, { recursive: true }));
    const members: Member[] = [];
    for (const { name: group, size } of options.plan.groups)
      for (let place = 0; place < size; place++) {
        const index = members.length;
        const log = join(folder, `worker-${index}.log`);
        const file = storing(log, () => openSync(log, 'a'));
        const child = new PacecarChild({
          title: `worker ${index}`,
          arguments: [
            ...['worker', '--join', options.join, '--group', group, '--index', String(index)],
            ...['--log-level', options.logLevel, '--log-format', 'json'],
          ],
          environment: { PACECAR_TOKEN: options.token },
          stdout: 'ignore',
          log: file,
        });
        closeSync(file);
        members.push({ child, log });
      }
    this.#members = members;
  }

  /** Resolves with what happened as soon as a worker has ended with a failure; never if none does. */
  firstFailure(): Promise<string> {
    return new Promise((resolve) => {
      for (const { child } of this.#members)
        void child.ended.then((end) => (end.code === EXIT.ok ? undefined : resolve(child.story(end))));
    });
  }

  /**
   * What happened to workers that did not end as the coordinator told them to: killed, or broken. The first of them
   * with the end of its log.
   */
  troubles(): string[] {
    const told: string[] = [];
    for (const { child, log } of this.#members) {
      const end = child.end;
      if (end === null || child.stopped || !isTrouble(end)) continue;
      const tail = told.length > 0 ? '' : `; the end of its log ${shortPath(log)}:\n${readableTail(log)}`;
      told.push(child.story(end) + tail);
    }
    return told;
  }

  /** Ends them all at once. */
  kill(): void {
    for (const { child } of this.#members) child.kill();
  }

  /** Ends those that do not leave by themselves. Resolves when none of them lives. */
  async stop(ended: boolean): Promise<void> {
    const patienceMs = ended ? LEAVE_MS.ended : LEAVE_MS.broken;
    await Promise.all(this.#members.map(({ child }) => child.stop(patienceMs)));
  }
}

/** Other codes are those of the run itself, as the coordinator told it. */
function isTrouble(end: ChildEnd): boolean {
  return end.signal !== null || end.code === EXIT.failed || end.code === EXIT.request;
}

function readableTail(log: string): string {
  return logTail(log, TAIL_LINES)
    .split('\n')
    .map((line) => `  ${prettyLine(line, false).trimEnd()}\n`)
    .join('');
}

/** Throws PacecarError STORAGE for what the file system refuses. */
function storing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PacecarError('STORAGE', `${path} cannot be made: ${systemReason(error)}`, { cause: error });
  }
}
