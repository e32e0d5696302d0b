import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './deadline.js';

/** From build/test/e2e to the command as npm installs it. */
const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real `pacecar` process, with everything it has said so far. */
export class PacecarProcess {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  #end: Ended | null = null;

  constructor(args: readonly string[], options: { cwd: string; env?: Readonly<Record<string, string>> }) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd,
      env: { ...environment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => (this.#stdout += String(chunk)));
    this.#child.stderr?.on('data', (chunk) => (this.#stderr += String(chunk)));
    const killWithUs = (): boolean => this.#child.kill('SIGKILL');
    process.once('exit', killWithUs);
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        process.removeListener('exit', killWithUs);
        this.#end = { code, signal, stdout: this.#stdout, stderr: this.#stderr };
        resolve(this.#end);
      });
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }
  get stdout(): string {
    return this.#stdout;
  }
  get stderr(): string {
    return this.#stderr;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until standard error matches; fails with all output if the process ends or the time is over first. */
  async says(pattern: RegExp, limitMs = 20_000): Promise<RegExpExecArray> {
    return until(
      `standard error matches ${pattern}`,
      () => {
        const match = pattern.exec(this.#stderr) ?? pattern.exec(this.#stdout);
        if (match === null && this.#end !== null)
          assert.fail(`it ended with ${this.#end.code} and never said ${pattern}:\n${this.output()}`);
        return match;
      },
      limitMs,
      () => this.output(),
    );
  }

  /** Its end; fails with all output if that takes longer. */
  async endsWithin(limitMs: number): Promise<Ended> {
    return until(
      'the process ends',
      () => this.#end,
      limitMs,
      () => this.output(),
    );
  }

  /** Kills it if it lives, so that a failed test leaves nothing behind. */
  async close(): Promise<void> {
    if (this.#end === null) this.#child.kill('SIGKILL');
    await this.ended;
  }

  output(): string {
    return `--- stdout\n${this.#stdout}\n--- stderr\n${this.#stderr}`;
  }
}

/** Runs the command to its end. */
export async function pacecar(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>>; limitMs?: number },
): Promise<Ended> {
  const process = new PacecarProcess(args, options);
  try {
    return await process.endsWithin(options.limitMs ?? 60_000);
  } finally {
    await process.close();
  }
}

/** Every process below `pid`, with its command line. */
export function descendants(pid: number): { pid: number; command: string }[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, own, parent, command]) => ({
      pid: Number(own),
      parent: Number(parent),
      command: command as string,
    }));
  const below = (parent: number): { pid: number; command: string }[] =>
    all
      .filter((entry) => entry.parent === parent)
      .flatMap((entry) => [{ pid: entry.pid, command: entry.command }, ...below(entry.pid)]);
  return below(pid);
}

/** The workers that a local run has started, by index. */
export function workersOf(run: PacecarProcess): number[] {
  return descendants(run.pid)
    .map(({ pid, command }) => ({ pid, index: /\bworker --join .*--index (\d+)/.exec(command)?.[1] }))
    .filter(({ index }) => index !== undefined)
    .sort((a, b) => Number(a.index) - Number(b.index))
    .map(({ pid }) => pid);
}

/** Whether a process lives; one that has ended and waits for its parent does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

/** Fails unless all of them have ended within the time. */
export async function assertGone(pids: readonly number[], limitMs: number): Promise<void> {
  await until(
    'no process is left',
    () => (pids.some(lives) ? null : true),
    limitMs,
    () => `left: ${pids.filter(lives).join(', ')}`,
  );
}

/** This environment without what would change how pacecar prints. */
function environment(): Record<string, string | undefined> {
  const {
    FORCE_COLOR: _force,
    NO_COLOR: _no,
    PACECAR_TOKEN: _token,
    NODE_TEST_CONTEXT: _context,
    ...rest
  } = process.env;
  // What somebody measured on this machine must not change a verdict.
  return { ...rest, PACECAR_CALIBRATION: '/nonexistent/calibration.json' };
}
