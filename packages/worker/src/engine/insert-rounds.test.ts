import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { areRounds, LIMITS } from '@pacecar/protocol';
import fc from 'fast-check';
import { InsertRounds } from './insert-rounds.js';

/** Parts in which rounds end in order; `failed` says how. */
function parts(...failed: readonly (readonly boolean[])[]): InsertRounds {
  const rounds = new InsertRounds(InsertRounds.memory(failed.length));
  failed.forEach((ends, part) => {
    ends.forEach((isFailed, round) => {
      if (isFailed) rounds.fail(part, round);
      rounds.advance(part, round + 1);
    });
  });
  return rounds;
}

const ends = fc.array(
  fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  { maxLength: 300 },
);

function present(rounds: InsertRounds, part: number, most = 400): number[] {
  return Array.from({ length: most }, (_, round) => round).filter((round) => rounds.has(part, round));
}

describe('rounds of inserts', () => {
  test('are there once they have ended, but for those that failed', () => {
    const rounds = parts([false, true, false], []);
    assert.deepEqual(present(rounds, 0), [0, 2]);
    assert.deepEqual(present(rounds, 1), []);
  });

  test('after many failures the newest are there still, and what is older than those remembered is not', () => {
    fc.assert(
      fc.property(ends, (failed) => {
        const holes = failed.flatMap((isFailed, round) => (isFailed ? [round] : []));
        const first =
          holes.length > LIMITS.failedInserts ? (holes.at(-LIMITS.failedInserts - 1) as number) : -1;
        const expected = failed.flatMap((isFailed, round) => (isFailed || round <= first ? [] : [round]));
        assert.deepEqual(present(parts(failed), 0), expected);
      }),
    );
  });

  test('a slice has what all of its connections have', () => {
    fc.assert(
      fc.property(fc.array(ends, { minLength: 1, maxLength: 5 }), (all) => {
        const rounds = parts(...all);
        const told = rounds.together(0, all.length);
        assert.ok(areRounds(told));
        const heard = new InsertRounds(InsertRounds.memory(1));
        heard.learn(0, told);
        const everywhere = present(rounds, 0).filter((round) =>
          all.every((_, part) => rounds.has(part, round)),
        );
        const known = present(heard, 0);
        assert.ok(known.every((round) => everywhere.includes(round)));
        // Nothing is left out unless there are more failures than can be told.
        const failures = new Set(
          all.flatMap((one) => one.flatMap((isFailed, round) => (isFailed ? [round] : []))),
        );
        if (failures.size <= LIMITS.failedInserts) assert.deepEqual(known, everywhere);
      }),
    );
  });

  test('what is told late, again, or not at all does no harm', () => {
    const plan = fc.array(fc.record({ ends: fc.nat(30), hears: fc.nat(3) }), { maxLength: 40 });
    fc.assert(
      fc.property(plan, ends, (steps, failed) => {
        const rounds = new InsertRounds(InsertRounds.memory(1));
        const heard = new InsertRounds(InsertRounds.memory(1));
        const told: (readonly number[])[] = [[0, 0]];
        let round = 0;
        for (const step of steps) {
          for (let more = step.ends; more > 0; more--) {
            if (failed[round % 300] === true) rounds.fail(0, round);
            rounds.advance(0, ++round);
          }
          told.push(rounds.together(0, 1));
          const before = heard.below(0);
          heard.learn(0, told[Math.max(0, told.length - 1 - step.hears * 2)] as readonly number[]);
          assert.ok(heard.below(0) >= before);
          for (const one of present(heard, 0, round + 10))
            assert.ok(failed[one % 300] !== true && one < round);
        }
        heard.learn(0, rounds.together(0, 1));
        // In the end everything is known that can be: one who was told each time knows at most more of the old.
        for (const one of present(rounds, 0, round)) assert.ok(heard.has(0, one) || one < heard.from(0));
        assert.equal(heard.below(0), round);
      }),
    );
  });

  test('past the last number that is told, rounds are written and not read', () => {
    const rounds = new InsertRounds(InsertRounds.memory(1));
    rounds.advance(0, LIMITS.insertRounds + 5);
    rounds.fail(0, LIMITS.insertRounds + 1);
    assert.equal(rounds.below(0), LIMITS.insertRounds);
    assert.ok(rounds.has(0, LIMITS.insertRounds - 1));
    assert.ok(!rounds.has(0, LIMITS.insertRounds));
  });
});
