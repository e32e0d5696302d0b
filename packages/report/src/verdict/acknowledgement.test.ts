import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Event, plainAction } from '@pacecar/protocol';
import { measureStage, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import { summarize } from '../summary/summarize.js';

/** What a run with these operations says, whose target says this of writes. */
function findings(operations: readonly ('get' | 'put')[], writes: string): string[] {
  const [workload] = measureStage.workloads;
  assert.ok(workload !== undefined);
  const mix = operations.map((operation) => plainAction(operation, 1));
  const stage = { ...measureStage, workloads: [{ ...workload, mix }] };
  const plan = samplePlan(1);
  const [cell] = plan.cells;
  assert.ok(cell !== undefined);
  const rows = operations.map((operation) => ({ operation, ok: [[1_000_000, 100]] as [number, number][] }));
  const bundle = sampleBundle({ ...plan, cells: [{ ...cell, stages: [stage] }] }, [
    { stage: 0, workers: [{ frames: [rows, rows] }] },
  ]);
  const events = bundle.events.map((event): Event => {
    if (event.type !== 'worker-armed' || event.target === null) return event;
    return { ...event, target: { ...event.target, settings: { ...event.target.settings, writes } } };
  });
  const { verdict } = summarize({ ...bundle, events });
  return verdict.reasons
    .filter(({ rule }) => rule === 'acknowledgement')
    .map(({ level, text }) => `${level} ${text}`);
}

test('writes that were not acknowledged are DEGRADED, once for the configuration', () => {
  const [only, ...others] = findings(['get', 'put'], 'not acknowledged');
  assert.match(
    only ?? '',
    /^DEGRADED the writes of configuration redis7 were not acknowledged by the target/,
  );
  assert.deepEqual(others, []);
});

test('nothing is said of writes that were, nor of reads', () => {
  assert.deepEqual(findings(['get', 'put'], 'acknowledged'), []);
  assert.deepEqual(findings(['get'], 'not acknowledged'), []);
});
