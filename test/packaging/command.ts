import { spawn } from 'node:child_process';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program as a person's shell would: without what npm adds to the environment of `npm test`. Whoever uses a
 * registry of their own keeps it. Killed, and rejected with its output, when it takes longer than `limitMs`.
 */
export function run(
  program: string,
  argv: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string | undefined>>; limitMs: number },
): Promise<Finished> {
  const child = spawn(program, argv, {
    cwd: options.cwd,
    env: { ...plainEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const killWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `${program} ${argv.join(' ')} took longer than ${options.limitMs} ms\n${stdout}\n${stderr}`,
        ),
      );
    }, options.limitMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.removeListener('exit', killWithUs);
      resolve({ code, stdout, stderr });
    });
  });
}

function plainEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_|FORCE_COLOR|PACECAR_)/.test(name) || name === 'npm_config_registry',
  );
  return Object.fromEntries(kept);
}
