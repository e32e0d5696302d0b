import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '@pacecar/protocol';
import { Outbox } from './outbox.js';
import { Reception } from './reception.js';
import { REFUSALS_RECORDED } from './timing.js';

test('whoever knocks for ever is refused for ever, but does not fill the record', () => {
  const outbox = new Outbox();
  const reception = new Reception(outbox);
  for (let connection = 0; connection < REFUSALS_RECORDED + 100; connection++) {
    reception.enter(connection, monotonicMs(0));
    reception.turnAway(connection, { code: 'TOKEN_REJECTED', reason: 'the token is wrong' }, null);
  }
  const effects = outbox.take();
  const events = effects.filter(({ kind }) => kind === 'event');
  assert.equal(events.length, REFUSALS_RECORDED);
  assert.match(JSON.stringify(events.at(-1)), /10000 refusals; those that follow are not recorded/);
  for (const kind of ['send', 'close'])
    assert.equal(effects.filter((effect) => effect.kind === kind).length, REFUSALS_RECORDED + 100);
  assert.equal(reception.nextMs, null);
});
