import { setTimeout as wait } from 'node:timers/promises';

/** Soon enough that a server of milliseconds is not waited for, seldom enough that a hundred of them are not disturbed. */
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;

/**
 * Asks again until nothing is missing: null then, or what was still missing at the deadline (ms of
 * `performance.now`). Gives up at once when the signal is aborted.
 */
export async function until(
  missing: () => Promise<string | null>,
  byMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
    const answer = await missing();
    if (answer === null) return null;
    signal.throwIfAborted();
    const leftMs = byMs - performance.now();
    if (leftMs <= 0) return answer;
    await wait(Math.min(waitMs, leftMs), undefined, { signal });
  }
}
