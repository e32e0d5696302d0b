import type { ChildProcess } from 'node:child_process';

/** Processes that this one started and that have not ended. None outlives it, however it ends. */
const living = new Set<ChildProcess>();
let watching = false;

export function adopt(child: ChildProcess): void {
  if (!watching) {
    process.on('exit', killChildren);
    watching = true;
  }
  living.add(child);
  const forget = (): void => {
    living.delete(child);
  };
  child.once('exit', forget);
  child.once('error', forget);
}

/** At once, with the signal that cannot be ignored. */
export function killChildren(): void {
  for (const child of living) child.kill('SIGKILL');
}
