import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PoissonArrivals, SteadyArrivals } from './arrivals.js';
import { createSchedule } from './create-schedule.js';
import { type LanePlace, laneArrival, laneArrivalCount, laneCount } from './lane.js';

const SEC = 1e9;

/** Lanes of workers with these numbers of connections. */
function lanesOf(connectionsOf: readonly number[]): LanePlace[] {
  return connectionsOf.flatMap((connections, worker) =>
    Array.from({ length: connections }, (_, connection) => ({
      workers: connectionsOf.length,
      worker,
      connections,
      connection,
    })),
  );
}

/** Integers of 53 bits by splitmix32, for the tests. */
function randomBits(seed: number): { u53(): number } {
  let state = seed;
  const u32 = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return { u53: () => (u32() >>> 11) * 2 ** 32 + u32() };
}

function upTo(arrivals: { nextNs(): number }, endNs: number): number[] {
  const times: number[] = [];
  for (let at = arrivals.nextNs(); at < endNs; at = arrivals.nextNs()) times.push(at);
  return times;
}

const connectionsOf = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 7 });

test('over all lanes each global arrival stands exactly once, whatever the numbers of connections', () => {
  fc.assert(
    fc.property(connectionsOf, fc.integer({ min: 0, max: 500 }), (connections, total) => {
      const seen = Array.from({ length: total }, () => 0);
      for (const lane of lanesOf(connections)) {
        const count = laneArrivalCount(lane, total);
        for (let j = 0; j < count; j++) (seen[laneArrival(lane, j)] as number) += 1;
        assert.ok(laneArrival(lane, count) >= total);
      }
      assert.ok(
        seen.every((times) => times === 1),
        seen.join(),
      );
    }),
  );
});

test('workers get the same number of arrivals but for one, and the counts sum to the whole up to 2^53-1', () => {
  fc.assert(
    fc.property(connectionsOf, fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (connections, total) => {
      const perWorker = Array.from({ length: connections.length }, () => 0);
      for (const lane of lanesOf(connections))
        (perWorker[lane.worker] as number) += laneArrivalCount(lane, total);
      assert.equal(
        perWorker.reduce((sum, count) => sum + BigInt(count), 0n),
        BigInt(total),
      );
      assert.ok(Math.max(...perWorker) - Math.min(...perWorker) <= 1);
    }),
  );
});

test('two workers at 2/s together: one arrival every half second, not two every second', () => {
  const schedule = createSchedule({ kind: 'constant', ratePerSec: 2 });
  const times = lanesOf([1, 1]).map((lane) => upTo(new SteadyArrivals(schedule, lane), 4 * SEC));
  assert.deepEqual(times, [
    [0, SEC, 2 * SEC, 3 * SEC],
    [0.5 * SEC, 1.5 * SEC, 2.5 * SEC, 3.5 * SEC],
  ]);
});

test('a rate below one per connection: 1 in 10 s over 3 workers of 4 connections goes round them', () => {
  const schedule = createSchedule({ kind: 'constant', ratePerSec: 0.1 });
  const lanes = lanesOf([4, 4, 4]);
  const due = lanes.flatMap((lane) =>
    upTo(new SteadyArrivals(schedule, lane), 130 * SEC).map((at) => ({
      at: at / SEC,
      worker: lane.worker,
      connection: lane.connection,
    })),
  );
  due.sort((a, b) => a.at - b.at);
  assert.deepEqual(
    due.map(({ at }) => at),
    Array.from({ length: 13 }, (_, index) => index * 10),
  );
  assert.deepEqual(due.slice(0, 4), [
    { at: 0, worker: 0, connection: 0 },
    { at: 10, worker: 1, connection: 0 },
    { at: 20, worker: 2, connection: 0 },
    { at: 30, worker: 0, connection: 1 },
  ]);
});

test('an arrival that the schedule never comes to is at Infinity', () => {
  const schedule = createSchedule({ kind: 'ramp', fromPerSec: 10, toPerSec: 0, durationMs: 1_000 });
  const lane = lanesOf([1])[0] as LanePlace;
  assert.equal(upTo(new SteadyArrivals(schedule, lane), Number.POSITIVE_INFINITY).length, 5);
  const poisson = new PoissonArrivals(schedule, lane, randomBits(1));
  const times = upTo(poisson, Number.POSITIVE_INFINITY);
  assert.ok(times.every((at) => at < SEC) && poisson.nextNs() === Number.POSITIVE_INFINITY);
});

/** Largest distance between the values and a distribution on 0..1 that should be uniform (Kolmogorov and Smirnov). */
function distanceFromUniform(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((value, index) =>
      Math.max(value - index / sorted.length, (index + 1) / sorted.length - value),
    ),
  );
}

/** One honest set in a thousand is further off. */
const assertUniform = (values: readonly number[]) =>
  assert.ok(
    distanceFromUniform(values) < 1.95 / Math.sqrt(values.length),
    `${distanceFromUniform(values)} of ${values.length}`,
  );

function poissonTimes(ratePerSec: number, connections: readonly number[], endNs: number): number[][] {
  const schedule = createSchedule({ kind: 'constant', ratePerSec });
  return lanesOf(connections).map((lane, index) =>
    upTo(new PoissonArrivals(schedule, lane, randomBits(1_000 * index + 7)), endNs),
  );
}

test('Poisson: all lanes together have exponential gaps of the global rate, also with unequal connections', () => {
  const all = poissonTimes(1_000, [3, 1, 4], 60 * SEC)
    .flat()
    .sort((a, b) => a - b);
  assert.ok(Math.abs(all.length - 60_000) < 4 * Math.sqrt(60_000), `${all.length} arrivals`);
  const gaps = all.slice(1).map((at, index) => at - (all[index] as number));
  assertUniform(gaps.map((gap) => 1 - Math.exp((-gap * 1_000) / SEC)));
  const neighbours = gaps
    .slice(1)
    .reduce((sum, gap, index) => sum + (gap - 1e6) * ((gaps[index] as number) - 1e6), 0);
  assert.ok(
    Math.abs(neighbours / gaps.length / 1e12) < 4 / Math.sqrt(gaps.length),
    'neighbouring gaps do not know of each other',
  );
});

test('Poisson: counts per second scatter as they should, variance = mean', () => {
  const counts = Array.from({ length: 2_000 }, () => 0);
  for (const at of poissonTimes(50, [1, 2], 2_000 * SEC).flat())
    (counts[Math.floor(at / SEC)] as number) += 1;
  const mean = counts.reduce((a, b) => a + b, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  assert.ok(Math.abs(mean - 50) < 0.7, `mean ${mean}`);
  assert.ok(
    Math.abs(variance / mean - 1) < 4 * Math.sqrt(2 / counts.length),
    `variance / mean ${variance / mean}`,
  );
});

test('Poisson on a ramp: the density follows the rate', () => {
  const schedule = createSchedule({ kind: 'ramp', fromPerSec: 0, toPerSec: 2_000, durationMs: 20_000 });
  const times = lanesOf([2, 2]).flatMap((lane, index) =>
    upTo(new PoissonArrivals(schedule, lane, randomBits(index + 99)), 20 * SEC),
  );
  assert.ok(Math.abs(times.length - 20_000) < 4 * Math.sqrt(20_000), `${times.length} arrivals`);
  assertUniform(times.map((at) => (at / (20 * SEC)) ** 2));
});

test('Poisson: the same stream gives the same lane, another one another lane; times never go back', () => {
  const schedule = createSchedule({ kind: 'constant', ratePerSec: 1e9 });
  const lane = lanesOf([1, 1])[1] as LanePlace;
  assert.equal(laneCount(lane), 2);
  const times = (seed: number) => upTo(new PoissonArrivals(schedule, lane, randomBits(seed)), 1e5);
  assert.deepEqual(times(5), times(5));
  assert.notDeepEqual(times(5), times(6));
  assert.ok(
    times(5).every(
      (at, index, all) => Number.isInteger(at) && (index === 0 || at >= (all[index - 1] as number)),
    ),
  );
});
