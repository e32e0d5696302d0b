import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Waker } from './waker.js';

/** A waker, and the next time that it wakes. */
function woken(): { waker: Waker; next: () => Promise<bigint> } {
  let tell: (atNs: bigint) => void = () => undefined;
  const waker = new Waker(() => tell(process.hrtime.bigint()));
  return {
    waker,
    next: () =>
      new Promise((resolve) => {
        tell = resolve;
      }),
  };
}

describe('a waker', () => {
  // It does not keep its thread alive: what waits for sockets does.
  const alive = setInterval(() => undefined, 1_000);
  test('wakes this thread, which waits in its event loop, not before the time', async () => {
    const { waker, next } = woken();
    for (const lengthNs of [5e6, 1e6, 300e3]) {
      const heard = next();
      const from = process.hrtime.bigint();
      assert.equal(waker.wakeIn(lengthNs), true);
      assert.ok((await heard) - from >= BigInt(lengthNs));
    }
  });
  test('a sooner time takes the place of the one that was asked for, and a time in the past wakes at once', async () => {
    const { waker, next } = woken();
    for (const lengthNs of [1e6, -1e6]) {
      waker.wakeIn(3_600e9);
      const heard = next();
      waker.wakeIn(lengthNs);
      await heard;
    }
    clearInterval(alive);
  });
});
