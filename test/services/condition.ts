import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Waits until something is so; the test fails with its description after the deadline. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const byMs = performance.now() + withinMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < byMs, `within ${withinMs} ms: ${what}`);
    await wait(20);
  }
}

/** Whether a process runs; one that has ended and waits for its parent to notice does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // No /proc: the system keeps no other trace of it either.
    return process.platform !== 'linux';
  }
}
