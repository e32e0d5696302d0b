import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './deadline.js';

const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** A real terminal (tmux, on a socket of its own) in which `pacecar` runs as a person would run it. */
export class TerminalSession {
  readonly #socket = `pacecar-test-${process.pid}-${Math.random().toString(36).slice(2)}`;

  /** Runs the command, with the shell around it unmoved by Ctrl-C; its exit code then stands on the screen as `EXIT=0`. */
  constructor(
    args: readonly string[],
    options: { cwd: string; columns: number; rows: number; env?: string },
  ) {
    const command = `trap : INT; ${options.env ?? ''} ${process.execPath} ${MAIN} ${args.join(' ')}; echo EXIT=$?; exec sleep 600`;
    this.#tmux(
      ...['-f', '/dev/null', 'new-session', '-d', '-x', String(options.columns), '-y', String(options.rows)],
      ...['-c', options.cwd, 'sh', '-c', command],
    );
    this.#tmux('set-option', '-g', 'history-limit', '10000');
  }

  /** What stands on the screen now. */
  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** With what has scrolled away. */
  everything(): string {
    return this.#tmux('capture-pane', '-p', '-S', '-', '-J');
  }

  /** With the escape sequences of its colours. */
  colored(): string {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  async shows(pattern: RegExp, limitMs: number): Promise<RegExpExecArray> {
    return until(
      `the screen shows ${pattern}`,
      () => pattern.exec(this.screen()),
      limitMs,
      () => this.screen(),
    );
  }

  type(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Ends everything in it. */
  close(): void {
    this.#tmux('kill-server');
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], {
      encoding: 'utf8',
      env: { ...process.env, TMUX: undefined },
    });
  }
}
