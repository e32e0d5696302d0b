import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sealBundle } from '@pacecar/coordinator';
import {
  BUNDLE_FILES,
  encodedCount,
  HostsFileSchema,
  ManifestSchema,
  PlanSchema,
  TargetsFileSchema,
} from '@pacecar/protocol';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { loadStage, measureStage, smallPlan, stage } from './small-plan.js';
import { TestRun, TOKEN } from './test-run.js';

const PASSWORD = 'pa$$ "word"';
const OPERATIONS = ['get', 'put'] as const;

/** A whole run of 3 workers in processes of their own; then every file of the bundle is held against the others. */
test('a run over real sockets is complete, and its bundle is whole and consistent', async (t) => {
  const run = await TestRun.begin(t);
  const stages = [
    loadStage(),
    stage('warm', 'warm-up', { kind: 'duration', durationMs: 500 }),
    measureStage(1_500),
    stage('check', 'verify', { kind: 'operations', operations: { count: 1_003, scope: 'total' } }),
  ];
  const plan = smallPlan({ workers: 3, target: run.target, stages, password: PASSWORD });
  // A configuration that no cell uses carries the password: the built-in target asks for none.
  const open = plan.configurations[0];
  assert.ok(open !== undefined);
  const configurations = [
    { ...open, target: { ...open.target, password: null } },
    { ...open, name: 'secret' },
  ];
  const coordinator = await run.coordinate(
    { ...plan, configurations },
    {
      scenarioText: `password: ${JSON.stringify(PASSWORD)}\nurl: redis://:${encodeURIComponent(PASSWORD)}@host\n`,
    },
  );
  const workers = [0, 1, 2].map(() => run.worker());
  const end = await coordinator.finished;
  assert.deepEqual(end, { outcome: 'complete', code: null, reason: end.reason }, run.log());
  for (const worker of workers) assert.equal((await worker.ended).exitCode, 0);
  const events = await run.events();
  const manifest = await sealBundle(run.directory);

  await t.test('the number sent is the number that the target counted, per operation', async () => {
    const sent: Record<string, number> = { get: 0, put: 0 };
    for (const event of events)
      if (event.type === 'worker-drained')
        for (const totals of event.totals)
          sent[totals.operation] = (sent[totals.operation] ?? 0) + totals.sent;
    const counters = await run.target.counters();
    assert.ok((sent['get'] ?? 0) > 0);
    assert.equal(counters['get'], sent['get']);
    assert.equal(counters['set'], sent['put']);
  });

  await t.test(
    'frames: every number from 0 to the last once, sums as drained, none of the warm-up',
    async () => {
      for (const worker of [0, 1, 2]) {
        const frames = await run.frames(worker);
        assert.ok(!frames.some((frame) => frame.stage === 1), 'a warm-up enters no file');
        for (const stageIndex of [0, 2, 3]) {
          const own = frames.filter((frame) => frame.stage === stageIndex);
          const drained = events.find(
            (event) =>
              event.type === 'worker-drained' && event.worker === worker && event.stage === stageIndex,
          );
          assert.ok(drained?.type === 'worker-drained');
          assert.deepEqual(
            own.map(({ sequence }) => sequence),
            Array.from({ length: drained.lastSequence + 1 }, (_, i) => i),
          );
          for (const totals of drained.totals) {
            const rows = own
              .flatMap((frame) => frame.rows)
              .filter((row) => row.operation === totals.operation);
            for (const name of ['sent', 'ok', 'hits', 'misses', 'timeouts', 'aborted'] as const)
              assert.equal(
                rows.reduce((sum, row) => sum + row[name], 0),
                totals[name],
                `${name} of worker ${worker}`,
              );
          }
        }
      }
      const checked = events.filter((event) => event.type === 'worker-drained' && event.stage === 3);
      const shares = checked.map((event) =>
        event.type === 'worker-drained' ? event.totals.reduce((sum, { sent }) => sum + sent, 0) : 0,
      );
      assert.deepEqual(
        shares.sort((a, b) => a - b),
        [334, 334, 335],
        '1003 operations over 3 workers',
      );
    },
  );

  await t.test('hlog: readable by hdr-histogram-js, with the counts of the measure stage', async () => {
    for (const worker of [0, 1, 2])
      for (const operation of OPERATIONS) {
        const lines = (await readFile(join(run.directory, BUNDLE_FILES.hlog(worker, operation)), 'utf8'))
          .split('\n')
          .filter((line) => line.startsWith('Tag='));
        const starts = lines.map((line) => Number(line.split(',')[1]));
        assert.deepEqual(
          starts,
          [...starts].sort((a, b) => a - b),
        );
        const rows = (await run.frames(worker))
          .filter((frame) => frame.stage === 2)
          .flatMap((frame) => frame.rows)
          .filter((row) => row.operation === operation);
        const expected = rows.map((row) => encodedCount(row.service)).filter((count) => count > 0);
        const counts = lines.map((line) => {
          const [tag, , , , histogram] = line.split(',');
          assert.equal(tag, 'Tag=cell-0/measure/main');
          return decodeFromCompressedBase64(histogram ?? '').totalCount;
        });
        assert.ok(counts.length > 0);
        assert.deepEqual(counts, expected);
      }
  });

  await t.test('manifest: every other file with its size and sum', async () => {
    const onDisk = ManifestSchema.parse(
      JSON.parse(await readFile(join(run.directory, BUNDLE_FILES.manifest), 'utf8')),
    );
    assert.deepEqual(onDisk, manifest);
    assert.equal(manifest.outcome, 'complete');
    assert.equal(manifest.epoch, coordinator.epoch);
    const paths = (await readdir(run.directory, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(run.directory.length + 1))
      .filter((path) => path !== BUNDLE_FILES.manifest);
    assert.deepEqual(Object.keys(manifest.files).sort(), paths.sort());
    for (const [path, { sha256, bytes }] of Object.entries(manifest.files)) {
      const content = await readFile(join(run.directory, path));
      assert.equal(content.length, bytes);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    }
  });

  await t.test('facts of every host and target; no secret in any file nor in the log', async () => {
    const read = async (path: string) => JSON.parse(await readFile(join(run.directory, path), 'utf8'));
    const hosts = HostsFileSchema.parse(await read(BUNDLE_FILES.hosts));
    assert.deepEqual(
      hosts.map(({ worker }) => worker).sort((a, b) => a - b),
      [0, 1, 2],
    );
    assert.deepEqual(new Set(hosts.map(({ facts }) => facts.pid)), new Set(workers.map(({ pid }) => pid)));
    const targets = TargetsFileSchema.parse(await read(BUNDLE_FILES.targets));
    assert.deepEqual(
      targets.map(({ worker }) => worker).sort((a, b) => a - b),
      [0, 1, 2],
    );
    assert.equal(PlanSchema.parse(await read(BUNDLE_FILES.plan)).configurations[1]?.target.password, '***');
    assert.equal(
      await readFile(join(run.directory, BUNDLE_FILES.scenario), 'utf8'),
      'password: "***"\nurl: redis://:***@host\n',
    );
    assert.deepEqual(manifest.commandLine, ['pacecar', 'run', '--token=***']);
    const everything = [run.log(), ...workers.map((worker) => worker.log())];
    for (const path of Object.keys(manifest.files))
      everything.push(await readFile(join(run.directory, path), 'latin1'));
    for (const text of everything)
      for (const secret of [
        TOKEN,
        PASSWORD,
        JSON.stringify(PASSWORD).slice(1, -1),
        encodeURIComponent(PASSWORD),
      ])
        assert.ok(!text.includes(secret));
  });

  await t.test('the start line: every worker began within the limit of the others', () => {
    const armed = events.filter((event) => event.type === 'worker-armed');
    assert.equal(armed.length, 12);
    const go = events.find((event) => event.type === 'stage-go' && event.stage === 2);
    assert.ok(go?.type === 'stage-go');
    for (const { clockErrorMs } of go.workers)
      assert.ok(clockErrorMs >= 0 && clockErrorMs < 250, `${clockErrorMs} ms`);
  });

  await t.test('progress: went by, and said the end', () => {
    const last = run.progress.at(-1);
    assert.equal(last?.state, 'ended');
    assert.ok(run.progress.length >= 3);
    assert.ok(run.progress.some(({ operationsPerSec, p99Ns }) => operationsPerSec > 0 && p99Ns !== null));
    assert.deepEqual(last?.workers, { joined: 3, of: 3, lost: 0, waitingFor: [] });
  });
});

test('a directory that holds something is never taken as a bundle', async (t) => {
  const run = await TestRun.begin(t);
  const plan = smallPlan({ workers: 1, target: run.target, stages: [measureStage(100)] });
  await run.coordinate(plan);
  const taken = { bundleDirectory: run.directory };
  const second = await TestRun.begin(t);
  await assert.rejects(second.coordinate(plan, taken), {
    code: 'REQUEST_INVALID',
    message: /is not empty/,
  });
  await assert.rejects(second.coordinate(plan, { listen: { host: '0.0.0.0', port: 0 }, token: null }), {
    code: 'REQUEST_INVALID',
    message: /token is required/,
  });
  await assert.rejects(
    second.coordinate(plan, { listen: { host: '127.0.0.1', port: run.coordinator.port } }),
    {
      code: 'REQUEST_INVALID',
      message: /in use/,
    },
  );
  await second.coordinate(plan);
});
