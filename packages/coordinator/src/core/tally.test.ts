import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FrameRow, NO_COUNTERS, plainAction, type Stage, type Totals } from '@pacecar/protocol';
import fc from 'fast-check';
import { Tally } from './tally.js';

/** Of a stage, a tally looks at what its actions do. */
const STAGE = {
  workloads: [{ name: 'main', mix: [plainAction('get', 1), plainAction('put', 1)] }],
} as unknown as Stage;
const EMPTY = new Uint8Array([0]);
const row = (part: Partial<FrameRow>): FrameRow => ({
  ...NO_COUNTERS,
  workload: 'main',
  operation: 'put',
  inFlight: 0,
  service: EMPTY,
  response: EMPTY,
  failed: EMPTY,
  ...part,
});
const totals = (part: Partial<Totals>): Totals => ({
  workload: 'main',
  operation: 'put',
  sent: 0,
  ok: 0,
  hits: 0,
  misses: 0,
  errors: 0,
  timeouts: 0,
  aborted: 0,
  late: 0,
  dropped: 0,
  ...part,
});

test('an engine that counts rightly is never accused, however its work falls into frames', () => {
  const interval = fc.record({
    sent: fc.nat(1_000),
    ok: fc.nat(1_000),
    errors: fc.nat(5),
    timeouts: fc.nat(5),
    aborted: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 20 }), (intervals) => {
      const tally = new Tally(STAGE);
      const sum = { sent: 0, ok: 0, errors: 0, timeouts: 0, aborted: 0 };
      let inFlight = 0;
      for (const [index, wanted] of intervals.entries()) {
        // What ends was in flight before or is sent now; at the end nothing stays open.
        let open = inFlight + wanted.sent;
        const take = (most: number): number => {
          const taken = Math.min(open, most);
          open -= taken;
          return taken;
        };
        const errors = take(wanted.errors);
        const timeouts = take(wanted.timeouts);
        const aborted = take(wanted.aborted);
        const ok = take(index === intervals.length - 1 ? Number.POSITIVE_INFINITY : wanted.ok);
        inFlight = open;
        const { sent } = wanted;
        const frame = row({ sent, ok, timeouts, aborted, inFlight, errors: { OOM: errors } });
        assert.equal(tally.add([frame]), null);
        for (const [name, count] of Object.entries({ sent, ok, errors, timeouts, aborted }))
          sum[name as keyof typeof sum] += count;
      }
      assert.equal(tally.settle([totals(sum)]), null);
    }),
  );
});

const ACCUSED: readonly [string, () => string | null, RegExp][] = [
  [
    'an operation that was sent and never ended',
    () => new Tally(STAGE).add([row({ sent: 5, ok: 4 })]),
    /5 sent, but 4 ended and 0 in flight/,
  ],
  [
    'a get that was neither a hit nor a miss',
    () => new Tally(STAGE).add([row({ operation: 'get', sent: 5, ok: 5, hits: 3, misses: 1 })]),
    /5 ok, but 3 hits and 1 misses/,
  ],
  [
    'totals above the frames',
    () => {
      const tally = new Tally(STAGE);
      tally.add([row({ sent: 5, ok: 5 })]);
      return tally.settle([totals({ sent: 6, ok: 6 })]);
    },
    /the worker counted 6 sent, its frames hold 5/,
  ],
  [
    'totals that leave out what the frames hold',
    () => {
      const tally = new Tally(STAGE);
      tally.add([row({ sent: 5, ok: 5 })]);
      return tally.settle([]);
    },
    /its frames hold 5 sent, the worker's totals leave it out/,
  ],
  ['totals twice', () => new Tally(STAGE).settle([totals({}), totals({})]), /two totals of it/],
  [
    'totals with something in flight for ever',
    () => {
      const tally = new Tally(STAGE);
      tally.add([row({ sent: 5, ok: 3, inFlight: 2 })]);
      return tally.settle([totals({ sent: 5, ok: 3 })]);
    },
    /5 sent, but 3 ended and nothing is in flight/,
  ],
];

for (const [what, accuse, expected] of ACCUSED)
  test(`accused: ${what}`, () => assert.match(accuse() ?? '', expected));
