import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arrivalCount } from './arrivals.js';
import { createSchedule } from './create-schedule.js';
import { fractionOf } from './exact-rational.test.kit.js';
import { type RateProfile, RateProfileSchema } from './profile.js';

const SEC = 1e9;
const constant = (ratePerSec: number) => createSchedule({ kind: 'constant', ratePerSec });

test('constant: arrival n is due at n / rate', () => {
  for (const { ratePerSec, n, dueNs } of [
    { ratePerSec: 2, n: 0, dueNs: 0 },
    { ratePerSec: 2, n: 1, dueNs: 500_000_000 },
    { ratePerSec: 3, n: 1, dueNs: 333_333_333 },
    { ratePerSec: 3, n: 2, dueNs: 666_666_667 },
    { ratePerSec: 0.1, n: 3, dueNs: 30 * SEC },
    { ratePerSec: 1 / 3, n: 1, dueNs: 3 * SEC },
    { ratePerSec: 600 / 60, n: 25, dueNs: 2.5 * SEC },
    { ratePerSec: 50_000, n: 500_000, dueNs: 10 * SEC },
    { ratePerSec: 1e12, n: 1, dueNs: 0 },
    { ratePerSec: 1e12, n: 2 ** 53 - 1, dueNs: 9_007_199_254_741 },
    { ratePerSec: 2, n: 0.5, dueNs: 250_000_000 },
  ])
    assert.equal(constant(ratePerSec).arrivalTimeNs(n), dueNs, `${n} at ${ratePerSec}/s`);
});

test('constant: no drift. At 3/s every third arrival stands on a whole second, for a hundred days', () => {
  const schedule = constant(3);
  for (let seconds = 1; seconds < 9_000_000; seconds = seconds * 3 + 1) {
    assert.equal(schedule.arrivalTimeNs(3 * seconds), seconds * SEC);
    assert.equal(schedule.arrivalTimeNs(3 * seconds + 1), seconds * SEC + 333_333_333);
  }
});

test('constant: exact to 1 ns for any rate and any n up to 2^53, as long as a double holds the time', () => {
  const rate = fc.oneof(
    fc.integer({ min: 1, max: 1_000_000_000 }),
    fc.double({ min: 1e-3, max: 1e12, noNaN: true }),
    fc.constantFrom(1 / 3, 0.1, 16.1, 1e12),
  );
  fc.assert(
    fc.property(rate, fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (ratePerSec, any) => {
      const n = Math.floor(Math.min(any, ratePerSec * 9e6));
      const due = constant(ratePerSec).arrivalTimeNs(n);
      assert.ok(Number.isSafeInteger(due));
      // |due - n 10^9 / rate| <= 0.51 ns, in whole numbers.
      const { numerator, denominator } = fractionOf(ratePerSec);
      const error = BigInt(due) * numerator - BigInt(n) * 1_000_000_000n * denominator;
      assert.ok((error < 0n ? -error : error) * 100n <= 51n * numerator, `${due} ns`);
    }),
    { numRuns: 5_000 },
  );
});

test('the number of arrivals within a duration', () => {
  const sine = { kind: 'sine', meanPerSec: 100, amplitudePerSec: 100, periodMs: 1_000, phase: 0 } as const;
  const rest = {
    kind: 'steps',
    steps: [
      { durationMs: 1_000, ratePerSec: 10 },
      { durationMs: 500, ratePerSec: 0 },
    ],
  } as const;
  for (const { profile, durationMs, count } of [
    { profile: { kind: 'constant', ratePerSec: 100 }, durationMs: 10_000, count: 1_000 },
    { profile: { kind: 'constant', ratePerSec: 16.1 }, durationMs: 1_000_000, count: 16_100 },
    { profile: { kind: 'constant', ratePerSec: 0.1 }, durationMs: 10_000, count: 1 },
    { profile: { kind: 'constant', ratePerSec: 0.1 }, durationMs: 10_001, count: 2 },
    { profile: { kind: 'constant', ratePerSec: 1e12 }, durationMs: 3_600_000, count: 3_600 * 1e12 },
    { profile: rest, durationMs: 1_000, count: 10 },
    { profile: rest, durationMs: 1_000_000, count: 10 },
    {
      profile: { kind: 'ramp', fromPerSec: 0, toPerSec: 1_000, durationMs: 10_000 },
      durationMs: 10_000,
      count: 5_000,
    },
    {
      profile: { kind: 'ramp', fromPerSec: 0, toPerSec: 1_000, durationMs: 10_000 },
      durationMs: 12_000,
      count: 7_000,
    },
    {
      profile: { kind: 'ramp', fromPerSec: 1_000, toPerSec: 0, durationMs: 10_000 },
      durationMs: 60_000,
      count: 5_000,
    },
    { profile: sine, durationMs: 1_000, count: 100 },
    { profile: sine, durationMs: 60_000, count: 6_000 },
    { profile: sine, durationMs: 0, count: 0 },
    {
      profile: {
        kind: 'points',
        points: [
          { atMs: 0, ratePerSec: 10 },
          { atMs: 1_000, ratePerSec: 30 },
        ],
        between: 'linear',
      },
      durationMs: 2_000,
      count: 20 + 30,
    },
    {
      profile: {
        kind: 'points',
        points: [
          { atMs: 0, ratePerSec: 10 },
          { atMs: 1_000, ratePerSec: 30 },
        ],
        between: 'hold',
      },
      durationMs: 2_000,
      count: 10 + 30,
    },
  ] satisfies { profile: RateProfile; durationMs: number; count: number }[])
    assert.equal(arrivalCount(createSchedule(profile), durationMs * 1e6), count, JSON.stringify(profile));
});

test('where the rate rests at 0 nothing is due: the arrival waits for the end of the rest', () => {
  const schedule = createSchedule({
    kind: 'steps',
    steps: [
      { durationMs: 500, ratePerSec: 0 },
      { durationMs: 1_000, ratePerSec: 10 },
      { durationMs: 1_000, ratePerSec: 0 },
      { durationMs: 1_000, ratePerSec: 5 },
    ],
  });
  assert.equal(schedule.arrivalTimeNs(0), 0.5 * SEC);
  assert.equal(schedule.arrivalTimeNs(9), 1.4 * SEC);
  assert.equal(schedule.arrivalTimeNs(10), 2.5 * SEC);
  assert.equal(schedule.arrivalTimeNs(11), 2.7 * SEC);
  assert.equal(schedule.arrivalTimeNs(100), 2.5 * SEC + 18 * SEC);
  const ended = createSchedule({ kind: 'ramp', fromPerSec: 10, toPerSec: 0, durationMs: 1_000 });
  assert.equal(ended.arrivalTimeNs(5), Number.POSITIVE_INFINITY);
  assert.ok(ended.arrivalTimeNs(4) < SEC);
});

test('a ramp from 0 to 1000/s in 10 s has its n-th arrival at sqrt(n / 50) seconds', () => {
  const schedule = createSchedule({ kind: 'ramp', fromPerSec: 0, toPerSec: 1_000, durationMs: 10_000 });
  for (const n of [0, 1, 50, 200, 4_999])
    assert.equal(schedule.arrivalTimeNs(n), Math.round(Math.sqrt(n / 50) * SEC));
  assert.equal(schedule.arrivalTimeNs(5_000), 10 * SEC);
  assert.equal(schedule.arrivalTimeNs(6_000), 11 * SEC);
});

test('a sine crosses its mean at the half period, with mean x period / 2 + amplitude x period / pi arrivals', () => {
  const sine = createSchedule({
    kind: 'sine',
    meanPerSec: 1_000,
    amplitudePerSec: 500,
    periodMs: 60_000,
    phase: 0,
  });
  const half = 30_000 + (500 * 60) / Math.PI;
  assert.ok(Math.abs(sine.expectedCount(30 * SEC) - half) < 1e-6);
  assert.ok(Math.abs(sine.arrivalTimeNs(half) - 30 * SEC) <= 1);
  assert.equal(sine.arrivalTimeNs(60_000 * 1_000_000), 60 * SEC * 1_000_000);
});

const perSec = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.double({ min: 0.01, max: 1e7, noNaN: true }),
);
const perSecOrRest = fc.oneof({ weight: 4, arbitrary: perSec }, { weight: 1, arbitrary: fc.constant(0) });
const durationMs = fc.oneof(
  fc.integer({ min: 1, max: 600_000 }),
  fc.double({ min: 1, max: 100_000, noNaN: true }),
);
const profiles: fc.Arbitrary<RateProfile> = fc
  .oneof(
    fc.record({ kind: fc.constant('constant' as const), ratePerSec: perSec }),
    fc
      .array(fc.record({ durationMs, ratePerSec: perSecOrRest }), { minLength: 1, maxLength: 8 })
      .map((steps) => ({ kind: 'steps' as const, steps })),
    fc.record({
      kind: fc.constant('ramp' as const),
      fromPerSec: perSecOrRest,
      toPerSec: perSecOrRest,
      durationMs,
    }),
    fc
      .record({
        meanPerSec: perSec,
        part: fc.double({ min: 0, max: 1, noNaN: true }),
        periodMs: durationMs,
        phase: fc.double({ min: 0, max: 0.99, noNaN: true }),
      })
      .map(({ meanPerSec, part, periodMs, phase }) => ({
        kind: 'sine' as const,
        meanPerSec,
        amplitudePerSec: meanPerSec * part >= 1e-9 ? meanPerSec * part : 0,
        periodMs,
        phase,
      })),
    fc
      .record({
        gaps: fc.array(durationMs, { maxLength: 8 }),
        rates: fc.array(perSecOrRest, { minLength: 9, maxLength: 9 }),
        between: fc.constantFrom('hold' as const, 'linear' as const),
      })
      .map(({ gaps, rates, between }) => {
        let atMs = 0;
        const times = [0, ...gaps.map((gap) => (atMs += gap))];
        return {
          kind: 'points' as const,
          points: times.map((at, index) => ({ atMs: at, ratePerSec: rates[index] as number })),
          between,
        };
      }),
  )
  .filter((profile) => RateProfileSchema.safeParse(profile).success);

/** The rate as the profile words it, for the tests only. */
function rateAt(profile: RateProfile, atMs: number): number {
  switch (profile.kind) {
    case 'constant':
      return profile.ratePerSec;
    case 'steps': {
      let endMs = 0;
      return (profile.steps.find((step) => atMs < (endMs += step.durationMs)) ?? profile.steps.at(-1))
        ?.ratePerSec as number;
    }
    case 'ramp':
      return (
        profile.fromPerSec + (profile.toPerSec - profile.fromPerSec) * Math.min(1, atMs / profile.durationMs)
      );
    case 'sine':
      return (
        profile.meanPerSec +
        profile.amplitudePerSec * Math.sin(2 * Math.PI * (atMs / profile.periodMs + profile.phase))
      );
    default: {
      const index = profile.points.findLastIndex((point) => point.atMs <= atMs);
      const [here, next] = [profile.points[index], profile.points[index + 1]];
      if (here === undefined) throw new Error('before the first point');
      if (next === undefined || profile.between === 'hold') return here.ratePerSec;
      return (
        here.ratePerSec + ((next.ratePerSec - here.ratePerSec) * (atMs - here.atMs)) / (next.atMs - here.atMs)
      );
    }
  }
}

function largestRate(profile: RateProfile): number {
  switch (profile.kind) {
    case 'constant':
      return profile.ratePerSec;
    case 'ramp':
      return Math.max(profile.fromPerSec, profile.toPerSec);
    case 'sine':
      return profile.meanPerSec + profile.amplitudePerSec;
    default:
      return Math.max(
        ...(profile.kind === 'steps' ? profile.steps : profile.points).map((at) => at.ratePerSec),
      );
  }
}

test('any profile: the count is the area under the rate', () => {
  fc.assert(
    fc.property(profiles, fc.double({ min: 0, max: 1_000_000, noNaN: true }), (profile, endMs) => {
      const schedule = createSchedule(profile);
      const steps = 20_000;
      const widthMs = endMs / steps;
      let area = 0;
      for (let step = 0; step < steps; step++) {
        area += (rateAt(profile, (step + 0.5) * widthMs) * widthMs) / 1_000;
      }
      // Each jump of the rate may be off by half a step's width; a sine of many periods is undersampled.
      const periods = profile.kind === 'sine' ? endMs / profile.periodMs : 0;
      const tolerance =
        (10 * largestRate(profile) * widthMs) / 1_000 + (periods > steps / 20 ? area : 0) + 1e-6;
      assert.ok(
        Math.abs(schedule.expectedCount(endMs * 1e6) - area) <= tolerance,
        `${schedule.expectedCount(endMs * 1e6)} and ${area}`,
      );
    }),
    { numRuns: 200 },
  );
});

test('any profile: count and time are inverse to each other, within 1 ns and the roundings of a double', () => {
  fc.assert(
    fc.property(profiles, fc.double({ min: 0, max: 1e9, noNaN: true }), (profile, n) => {
      const schedule = createSchedule(profile);
      const due = schedule.arrivalTimeNs(n);
      if (due === Number.POSITIVE_INFINITY) {
        assert.ok(schedule.expectedCount(1e20) <= n * (1 + 1e-12) + 1e-9);
        return;
      }
      assert.ok(Number.isInteger(due) && due >= 0);
      const slack = n * 1e-12 + 1e-9;
      assert.ok(schedule.expectedCount(Math.max(0, due - 1)) <= n + slack, 'not too late');
      assert.ok(schedule.expectedCount(due + 1) >= n - slack, 'not too early');
    }),
    { numRuns: 3_000 },
  );
});

test('any profile: arrivals never go back in time', () => {
  fc.assert(
    fc.property(profiles, fc.integer({ min: 0, max: 1e9 }), (profile, from) => {
      const schedule = createSchedule(profile);
      let last = 0;
      for (let n = from; n < from + 200; n++) {
        const due = schedule.arrivalTimeNs(n);
        assert.ok(due >= last, `${n}: ${due} after ${last}`);
        last = due;
      }
    }),
    { numRuns: 500 },
  );
});

test('any profile: exactly the counted arrivals are due within the duration', () => {
  fc.assert(
    fc.property(profiles, fc.integer({ min: 1, max: 1e12 }), (profile, durationNs) => {
      const schedule = createSchedule(profile);
      const count = arrivalCount(schedule, durationNs);
      if (count > 0) assert.ok(schedule.arrivalTimeNs(count - 1) <= durationNs, 'the last is due');
      assert.ok(schedule.arrivalTimeNs(count) >= durationNs, 'the next is not');
    }),
    { numRuns: 3_000 },
  );
});

test('profiles that say nothing or go below 0 are refused', () => {
  for (const profile of [
    { kind: 'constant', ratePerSec: 0 },
    { kind: 'constant', ratePerSec: -1 },
    { kind: 'steps', steps: [] },
    { kind: 'steps', steps: [{ durationMs: 1_000, ratePerSec: 0 }] },
    { kind: 'ramp', fromPerSec: 0, toPerSec: 0, durationMs: 1_000 },
    { kind: 'sine', meanPerSec: 10, amplitudePerSec: 11, periodMs: 1_000, phase: 0 },
    { kind: 'points', points: [{ atMs: 5, ratePerSec: 1 }], between: 'hold' },
    {
      kind: 'points',
      points: [
        { atMs: 0, ratePerSec: 1 },
        { atMs: 0, ratePerSec: 2 },
      ],
      between: 'hold',
    },
  ])
    assert.equal(RateProfileSchema.safeParse(profile).success, false, JSON.stringify(profile));
});
