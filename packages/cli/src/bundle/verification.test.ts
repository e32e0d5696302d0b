import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import {
  BUNDLE_FILES,
  BUNDLE_VERSION,
  frameRecord,
  type Manifest,
  PACECAR_VERSION,
  withoutSecrets,
} from '@pacecar/protocol';
import { renderJson, summarize, timelineCsv } from '@pacecar/report';
import { readScenario } from '@pacecar/scenario';
import { DRIVERS } from '@pacecar/worker';
import { demoScenario } from '../commands/demo-scenario.js';
import { openBundle } from './bundle-source.js';
import { verifyBundle } from './verification.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-verification-'));
const LOG = BUNDLE_FILES.frames(0);
let bundle = folder;
let count = 0;
after(() => rmSync(folder, { recursive: true }));

/** A sealed bundle whose one log holds three records that are no frames: what its summary says of them follows. */
beforeEach(() => {
  bundle = join(folder, String(count++));
  const { yaml, env } = demoScenario({ workers: 2, seed: 1, target: null });
  const read = readScenario({ text: yaml, file: 'demo', set: {}, env, drivers: DRIVERS });
  assert.ok(read.ok);
  const wallTime = '2026-01-31T12:00:00.000Z';
  const started = {
    atMs: 0,
    wallTime,
    type: 'run-started',
    epoch: 7,
    pacecarVersion: PACECAR_VERSION,
    bundleVersion: BUNDLE_VERSION,
  };
  write(BUNDLE_FILES.plan, JSON.stringify(withoutSecrets(read.plan)));
  write(BUNDLE_FILES.events, `${JSON.stringify(started)}\n`);
  write(LOG, Buffer.concat([1, 2, 3].map((byte) => frameRecord(new Uint8Array(4).fill(byte)))));
  const summary = summarize(openBundle(bundle));
  write(BUNDLE_FILES.summary, renderJson(summary));
  write(BUNDLE_FILES.timeline, timelineCsv(summary));
  const paths = [BUNDLE_FILES.plan, BUNDLE_FILES.events, LOG, BUNDLE_FILES.summary, BUNDLE_FILES.timeline];
  const manifest: Manifest = {
    bundleVersion: BUNDLE_VERSION,
    pacecarVersion: PACECAR_VERSION,
    nodeVersion: process.version,
    name: 'demo',
    epoch: 7,
    startedAt: wallTime,
    endedAt: wallTime,
    outcome: 'complete',
    commandLine: ['pacecar', 'demo'],
    files: Object.fromEntries(
      paths.map((path) => {
        const bytes = readFileSync(join(bundle, path));
        return [path, { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }];
      }),
    ),
  };
  write(BUNDLE_FILES.manifest, JSON.stringify(manifest));
});

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(bundle, path)), { recursive: true });
  writeFileSync(join(bundle, path), content);
}

async function problemsOf(path: string): Promise<string[]> {
  const { problems } = await verifyBundle(bundle);
  return problems.filter((problem) => problem.startsWith(path));
}

for (const path of [BUNDLE_FILES.summary, BUNDLE_FILES.timeline, BUNDLE_FILES.events])
  test(`${path} that is missing is told once`, async () => {
    assert.deepEqual(await problemsOf(path), []);
    rmSync(join(bundle, path));
    assert.deepEqual(await problemsOf(path), [`${path}: missing`]);
  });

for (const [what, harm] of [
  ['missing', () => rmSync(join(bundle, BUNDLE_FILES.manifest))],
  ['not readable', () => write(BUNDLE_FILES.manifest, '{')],
] as const)
  test(`a manifest that is ${what} is told once`, async () => {
    harm();
    const told = await problemsOf(BUNDLE_FILES.manifest);
    assert.equal(told.length, 1, told.join('\n'));
  });

test('a frame with a wrong checksum is told once, and the frames after it are read', async () => {
  const log = readFileSync(join(bundle, LOG));
  log[12 + 8] = 99;
  write(LOG, log);
  const { problems, frames } = await verifyBundle(bundle);
  assert.equal(frames, 2);
  assert.deepEqual(
    problems.filter((problem) => problem.startsWith(`${LOG}: checksum`)),
    [`${LOG}: checksum of the frame at byte 12 is wrong; the whole frames are kept`],
  );
});
