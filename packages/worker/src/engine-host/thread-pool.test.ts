import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FromThread, ToThread } from './thread-messages.js';
import { ThreadPool } from './thread-pool.js';

test('a thread that throws is reported with its reason, and another takes its place when it is needed', async () => {
  const said: { thread: number; message: FromThread }[] = [];
  let wake = () => {};
  const deaths: string[] = [];
  const pool = new ThreadPool(process.hrtime.bigint(), {
    message: (thread, message) => {
      said.push({ thread, message });
      wake();
    },
    died: (thread, reason) => {
      deaths.push(`${thread} ${reason}`);
      wake();
    },
  });
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  try {
    pool.require(2);
    let heard = next();
    // No message that the host sends; the thread must not swallow what it cannot do.
    pool.send(1, { type: 'go', stage: -1, startNs: 1n } as unknown as ToThread);
    await heard;
    assert.equal(deaths.length, 1);
    assert.match(deaths[0] ?? '', /^1 TypeError: /);
    pool.require(2);
    heard = next();
    pool.send(1, { type: 'stop', stage: -1 });
    await heard;
    assert.deepEqual(
      said.map(({ thread, message }) => [thread, message.type]),
      [[1, 'finished']],
    );
  } finally {
    await pool.close();
  }
  assert.equal(deaths.length, 1, 'close is no death');
});
