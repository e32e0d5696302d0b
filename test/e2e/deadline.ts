import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 20;

/** Looks until there is a value; fails, naming what was waited for, when the time is over. */
export async function until<T>(
  what: string,
  look: () => T | null | Promise<T | null>,
  limitMs: number,
  state: () => string = () => '',
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) assert.fail(`waited ${limitMs} ms in vain until ${what}\n${state()}`);
    await wait(LOOK_MS);
  }
}
