import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '@pacecar/protocol';
import fc from 'fast-check';
import { CLOCK_DRIFT, ClockOffset } from './clock-offset.js';

test('without an exchange nothing is known', () => {
  assert.equal(new ClockOffset().estimate(monotonicMs(0)), null);
});

test('the true offset lies within the bound, whatever the delays on the way and however the clocks drift', () => {
  const delay = fc.double({ min: 0, max: 500, noNaN: true });
  const exchange = fc.record({
    there: delay,
    back: delay,
    pause: fc.double({ min: 0, max: 20_000, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(exchange, { minLength: 1, maxLength: 200 }),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: -CLOCK_DRIFT, max: CLOCK_DRIFT, noNaN: true }),
      fc.double({ min: 0, max: 100_000, noNaN: true }),
      (exchanges, origin, drift, later) => {
        const clock = new ClockOffset();
        const workerAt = (ms: number): number => origin + ms * (1 + drift);
        let nowMs = 0;
        for (const { there, back, pause } of exchanges) {
          nowMs += pause;
          clock.add(monotonicMs(nowMs), workerAt(nowMs + there), monotonicMs(nowMs + there + back));
          nowMs += there + back;
        }
        const atMs = nowMs + later;
        const estimate = clock.estimate(monotonicMs(atMs));
        assert.ok(estimate !== null);
        // Doubles of 1e9 ms are exact to about 1e-7.
        const trueOffsetMs = workerAt(atMs) - atMs;
        assert.ok(Math.abs(estimate.offsetMs - trueOffsetMs) <= estimate.errorMs + 1e-5);
      },
    ),
  );
});

test('the smallest round trip wins while it is young', () => {
  const clock = new ClockOffset();
  clock.add(monotonicMs(0), 5_001, monotonicMs(2));
  clock.add(monotonicMs(100), 5_180, monotonicMs(200));
  assert.deepEqual(clock.estimate(monotonicMs(200))?.offsetMs, 5_000);
  // After a minute it has drifted further than the other round trip was long.
  for (let atMs = 1_000; atMs <= 61_000; atMs += 1_000)
    clock.add(monotonicMs(atMs), 5_000 + atMs + 10, monotonicMs(atMs + 20));
  const estimate = clock.estimate(monotonicMs(61_020));
  assert.ok(estimate !== null && estimate.errorMs < 10.1 && estimate.exchanges <= 64);
});
