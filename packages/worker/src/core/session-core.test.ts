import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, monotonicMs } from '@pacecar/protocol';
import { BackOff } from './reconnect.js';
import { SessionTrace } from './session-trace.test.support.js';

const START = ['session', 'connected', 'welcome', 'arm 0/0', 'engine-armed', 'go 0/0 at=0'];

test('frames that nobody acknowledges are kept up to the limit; then the load stops and the stage has failed', () => {
  const trace = new SessionTrace();
  trace.run(START);
  const frames = Array.from({ length: LIMITS.unacknowledgedFrames }, (_, n) => `engine-frame ${n}`);
  assert.equal(trace.run(frames).length, LIMITS.unacknowledgedFrames);

  const [log, ...rest] = trace.run([`engine-frame ${LIMITS.unacknowledgedFrames}`]);
  assert.match(log ?? '', /log error: .* 600 frames wait to be acknowledged/);
  assert.match(rest.join('\n'), /engine-abandon 0\/0\n.*-> failed .*code=LIMIT_EXCEEDED/);

  // Those that were kept are sent again, and the failure after them.
  const again = trace.run(['disconnected', 'wait 100', 'connected', 'welcome']);
  assert.equal(again.filter((line) => line.includes('-> frame')).length, LIMITS.unacknowledgedFrames);
  assert.match(again.at(-1) ?? '', /-> failed .*code=LIMIT_EXCEEDED/);
});

test('an acknowledgement makes room', () => {
  const trace = new SessionTrace();
  trace.run(START);
  for (let n = 0; n < 3 * LIMITS.unacknowledgedFrames; n++) {
    const lines = trace.run([`engine-frame ${n}`, `acknowledge 0/0 sequence=${n}`]);
    assert.equal(lines.length, 1);
  }
});

test('a defect of the engine is not passed on as a figure', () => {
  const gap = new SessionTrace();
  gap.run(START);
  assert.throws(() => gap.run(['engine-frame 1']), /frame 1 .* came where 0 is due/);
  const early = new SessionTrace();
  early.run(START.slice(0, 5));
  assert.throws(() => early.run(['engine-frame 0']), /which is armed/);
  const twice = new SessionTrace();
  twice.run(START);
  assert.throws(() => twice.run(['engine-armed']), /cannot go from running to armed/);
});

test('back-off doubles up to the longest, between half and the whole of it, and differs between workers', () => {
  const policy = { firstMs: 100, longestMs: 1_000, joinWithinMs: null };
  const one = new BackOff(policy, 'one');
  const waits = Array.from({ length: 8 }, () => one.nextMs());
  waits.forEach((waitMs, attempt) => {
    const wholeMs = Math.min(1_000, 100 * 2 ** attempt);
    assert.ok(waitMs >= wholeMs / 2 && waitMs <= wholeMs, `wait ${attempt}: ${waitMs}`);
  });
  one.reset();
  assert.ok(one.nextMs() <= 100);
  const other = new BackOff(policy, 'other');
  assert.notDeepEqual(
    waits,
    Array.from({ length: 8 }, () => other.nextMs()),
  );
});

test('time is an argument: the same inputs at the same times give the same effects', () => {
  const play = (): readonly string[] => {
    const trace = new SessionTrace();
    return [...trace.run(START), ...trace.run(['disconnected', 'wait 5000']), String(monotonicMs(0))];
  };
  assert.deepEqual(play(), play());
});
