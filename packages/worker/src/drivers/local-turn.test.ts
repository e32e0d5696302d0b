import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalTurn } from './local-turn.js';

test('the event loop gets its turn between operations that end without it', async () => {
  const turn = new LocalTurn();
  let turns = 0;
  const count = () => turns++;
  let immediate = setImmediate(function again() {
    count();
    immediate = setImmediate(again);
  });
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    let answered = 0;
    const who = {
      goOn: () => {
        seen.push(turns);
        for (;;) {
          if (++answered === 8_000) return resolve();
          if (!turn.mayGoOn(who)) return;
        }
      },
    };
    who.goOn();
  });
  clearImmediate(immediate);
  assert.ok(seen.length >= 4, `${seen.length} turns for 8000 operations`);
  for (const [index, at] of seen.entries()) assert.ok(index === 0 || at > (seen[index - 1] as number));
});

test('all that wait go on, each as often as it asked', async () => {
  const turn = new LocalTurn();
  const gone: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => ({ goOn: () => void gone.push(name) })) as [
    { goOn(): void },
    { goOn(): void },
  ];
  for (let count = 0; count < 500; count++) assert.equal(turn.mayGoOn(a), true);
  // Only what comes without a turn counts.
  turn.turned();
  let more = 0;
  while (turn.mayGoOn(a)) more++;
  assert.ok(more >= 1_000, `${more}`);
  turn.turned();
  assert.equal(turn.mayGoOn(b), false);
  assert.deepEqual(gone, []);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(gone, ['a', 'b']);
  assert.equal(turn.mayGoOn(a), true);
});
