import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { BUNDLE_VERSION, frameRecord, PACECAR_VERSION, type Plan, withoutSecrets } from '@pacecar/protocol';
import { readScenario } from '@pacecar/scenario';
import { DRIVERS } from '@pacecar/worker';
import { demoScenario } from '../commands/demo-scenario.js';
import { openBundle } from './bundle-source.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-source-'));
let bundle = folder;
let count = 0;
after(() => rmSync(folder, { recursive: true }));

const PLAN: Plan = (() => {
  const { yaml, env } = demoScenario({ workers: 2, seed: 1, target: null });
  const read = readScenario({ text: yaml, file: 'demo', set: {}, env, drivers: DRIVERS });
  assert.ok(read.ok);
  return read.plan;
})();
const STARTED = {
  atMs: 0,
  wallTime: '2026-01-31T12:00:00.000Z',
  type: 'run-started',
  epoch: 7,
  pacecarVersion: PACECAR_VERSION,
  bundleVersion: BUNDLE_VERSION,
} as const;

beforeEach(() => {
  bundle = join(folder, String(count++));
  mkdirSync(join(bundle, 'frames'), { recursive: true });
  writeFileSync(join(bundle, 'plan.json'), JSON.stringify(withoutSecrets(PLAN)));
  writeFileSync(join(bundle, 'events.ndjson'), `${JSON.stringify(STARTED)}\n`);
});

test('a bundle of a run that has only begun is whole, without a manifest', () => {
  const source = openBundle(bundle);
  assert.deepEqual(source.plan, PLAN);
  assert.deepEqual(source.events, [STARTED]);
  assert.equal(source.manifest, null);
  assert.equal(source.scenarioText, '');
  assert.deepEqual([...source.frames()], []);
  assert.deepEqual(source.damage, []);
});

test('frames come by worker, in the order of the numbers and not of the names', () => {
  for (const worker of [10, 2, 0])
    writeFileSync(join(bundle, `frames/worker-${worker}.pcf`), frameRecord(new Uint8Array([worker])));
  writeFileSync(join(bundle, 'frames/notes.txt'), 'not a log');
  const source = openBundle(bundle);
  for (const time of ['first', 'second'])
    assert.deepEqual(
      [...source.frames()].map(([byte]) => byte),
      [0, 2, 10],
      `${time} reading`,
    );
});

test('what cannot be read is told, and the rest is kept', () => {
  writeFileSync(
    join(bundle, 'events.ndjson'),
    `${JSON.stringify(STARTED)}\n{"type":"no such event"}\nnot JSON\n{"atMs":`,
  );
  writeFileSync(
    join(bundle, 'frames/worker-0.pcf'),
    Buffer.concat([frameRecord(new Uint8Array(5)), frameRecord(new Uint8Array(9)).subarray(0, 12)]),
  );
  writeFileSync(join(bundle, 'manifest.json'), '{');
  const source = openBundle(bundle);
  assert.deepEqual(source.events, [STARTED]);
  assert.equal([...source.frames()].length, 1);
  assert.equal(source.manifest, null);
  assert.deepEqual(source.damage, [
    'manifest.json: not readable',
    'events.ndjson: cut inside line 4',
    'events.ndjson: line 2 is not an event',
    'events.ndjson: line 3 is not an event',
    'frames/worker-0.pcf: cut inside a frame at byte 13; the whole frames are kept',
  ]);
});

test('missing events are damage, a missing plan is no bundle, a broken plan is a fault of the storage', () => {
  rmSync(join(bundle, 'events.ndjson'));
  assert.deepEqual(openBundle(bundle).damage, ['events.ndjson: missing']);
  writeFileSync(join(bundle, 'plan.json'), '{"pacecar":1}');
  assert.throws(() => openBundle(bundle), { code: 'STORAGE', message: /plan\.json is damaged/ });
  writeFileSync(join(bundle, 'plan.json'), '{');
  assert.throws(() => openBundle(bundle), { code: 'STORAGE', message: /plan\.json is damaged/ });
  rmSync(join(bundle, 'plan.json'));
  assert.throws(() => openBundle(bundle), { code: 'REQUEST_INVALID', message: /not a Pacecar bundle/ });
  assert.throws(() => openBundle(join(bundle, 'nowhere')), {
    code: 'REQUEST_INVALID',
    message: /not a directory/,
  });
});

test('a bundle of another version is refused, naming both', () => {
  writeFileSync(join(bundle, 'manifest.json'), JSON.stringify({ bundleVersion: BUNDLE_VERSION + 1 }));
  assert.throws(() => openBundle(bundle), {
    code: 'REQUEST_INVALID',
    message: new RegExp(`version ${BUNDLE_VERSION + 1}.*version ${BUNDLE_VERSION}`),
  });
});
