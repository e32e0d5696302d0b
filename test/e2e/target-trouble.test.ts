import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { freePort, startRedis } from '../services/redis-server.js';
import { type Ended, pacecar } from './pacecar-process.js';
import { readEvents, readSummary, scenario, Workspace } from './workspace.js';

const workspaces: Workspace[] = [];
after(() => {
  for (const workspace of workspaces) workspace.remove();
});

/** Runs a short measure stage against `target`, with a connect timeout of 2 s. */
async function runAgainst(
  target: string,
  driver: string,
  more = '',
): Promise<{ run: Ended; workspace: Workspace }> {
  const workspace = new Workspace();
  workspaces.push(workspace);
  workspace.write(
    'run.yaml',
    scenario({
      target,
      driver,
      workers: 2,
      stages: '[measure: { for: 1s, connectTimeout: 2s, mix: { put: 1 } }]',
      more,
    }),
  );
  const run = await pacecar(['run', 'run.yaml'], { cwd: workspace.path, limitMs: 20_000 });
  return { run, workspace };
}

function assertFailedInArming(run: Ended, workspace: Workspace, message: RegExp, withinMs = 4_000): void {
  assert.equal(run.code, 3, run.stderr);
  assert.match(run.stderr, message);
  assert.equal(run.stderr.match(/^error: /gm)?.length, 1, `one clear message, not:\n${run.stderr}`);
  const events = readEvents(workspace.bundle());
  assert.equal(events.filter(({ type }) => type === 'stage-go').length, 0, 'no load was started');
  const ended = events.find((event) => event.type === 'run-ended');
  const arming = events.find((event) => event.type === 'stage-arming');
  assert.ok(ended !== undefined && arming !== undefined);
  assert.ok(ended.atMs - arming.atMs < withinMs, `it took ${ended.atMs - arming.atMs} ms to fail`);
}

for (const driver of ['resp', 'ioredis']) {
  describe(`a target that cannot be measured, driver ${driver}`, () => {
    test('nobody listens: exit 3 with one message that names the address', async () => {
      const port = await freePort();
      const { run, workspace } = await runAgainst(`redis://127.0.0.1:${port}`, driver);
      assertFailedInArming(run, workspace, new RegExp(`127\\.0\\.0\\.1:${port}`));
    });

    test('a server of another protocol: exit 3 with one message', async () => {
      const server: Server = createServer((_, response) => response.end('hello'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const { run, workspace } = await runAgainst(`redis://127.0.0.1:${port}`, driver);
        assertFailedInArming(run, workspace, new RegExp(`127\\.0\\.0\\.1:${port}`));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    describe('a real Redis', needs('redis-server'), () => {
      test('that wants a password and gets none, or a wrong one: exit 3 with one message', async () => {
        const redis = await startRedis(['--requirepass', 'right-one']);
        try {
          const none = await runAgainst(`redis://127.0.0.1:${redis.port}`, driver);
          assertFailedInArming(none.run, none.workspace, /NOAUTH|password/i);
          const wrong = await runAgainst(`redis://:wrong-one@127.0.0.1:${redis.port}`, driver);
          assertFailedInArming(wrong.run, wrong.workspace, /WRONGPASS|password/i);
          assert.doesNotMatch(wrong.run.stderr + wrong.run.stdout, /wrong-one/);
        } finally {
          await redis.close();
        }
      });

      test('that answers every write with OOM: errors by kind, over the budget, exit 1', async () => {
        const redis = await startRedis(['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
        try {
          const { run, workspace } = await runAgainst(`redis://127.0.0.1:${redis.port}`, driver);
          assert.equal(run.code, 1, run.stderr);
          assert.match(run.stdout, /OOM/);
          const report = await pacecar(['report', workspace.bundle(), '--format', 'json'], {
            cwd: workspace.path,
          });
          const row = readSummary(report.stdout).cells[0]?.stages[0]?.rows[0];
          assert.equal(row?.ok, 0);
          assert.ok((row?.errors['OOM'] ?? 0) > 0);
          assert.equal(row?.errors['OOM'], row?.errorCount);
          assert.ok((row?.failed?.count ?? 0) > 0, 'errors have latencies of their own');
          assert.equal(row?.service.count, 0, 'errors are never successes');
        } finally {
          await redis.close();
        }
      });

      test('where some operations fail: within the budget exit 0, over it exit 1', async () => {
        const redis = await startRedis();
        try {
          // One key of 2000 is a list, so that gets of it are errors of kind WRONGTYPE.
          await redis.command('LPUSH', 'key:0007', 'x');
          const workspace = new Workspace();
          workspaces.push(workspace);
          const stages = '[measure: { operations: 40k total, mix: { get: 1 } }]';
          const target = `redis://127.0.0.1:${redis.port}`;
          workspace.write(
            'within.yaml',
            scenario({ target, driver, workers: 1, stages, more: 'errorBudget: 10%\nmissBudget: 100%' }),
          );
          workspace.write(
            'over.yaml',
            scenario({ target, driver, workers: 1, stages, more: 'errorBudget: 0%\nmissBudget: 100%' }),
          );
          const within = await pacecar(['run', 'within.yaml', '--json'], { cwd: workspace.path });
          const row = readSummary(within.stdout).cells[0]?.stages[0]?.rows[0];
          assert.ok((row?.errors['WRONGTYPE'] ?? 0) > 0, within.stdout.slice(0, 2_000));
          assert.equal(row?.sent, 40_000);
          assert.equal(within.code, 0, within.stderr);
          const over = await pacecar(['run', 'over.yaml'], { cwd: workspace.path });
          assert.equal(over.code, 1, over.stderr);
          assert.match(over.stdout, /WRONGTYPE/);
        } finally {
          await redis.close();
        }
      });
    });
  });
}

describe('a Hazelcast that cannot be measured', () => {
  /** The library is large: a busy machine reads it for seconds. */
  const WITHIN_MS = 10_000;

  test('nobody listens, or a Redis does: exit 3 with one message that names host, product and what to do', async () => {
    const port = await freePort();
    const dead = await runAgainst(`hazelcast://127.0.0.1:${port}`, 'hazelcast');
    const message = `the Hazelcast at 127\\.0\\.0\\.1:${port} cannot be reached: .*; is a member running there`;
    assertFailedInArming(dead.run, dead.workspace, new RegExp(message), WITHIN_MS);
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    try {
      const redis = await runAgainst(`hazelcast://127.0.0.1:${target.port}`, 'hazelcast');
      const silent = /does not answer as a Hazelcast member does/;
      assertFailedInArming(redis.run, redis.workspace, silent, WITHIN_MS);
    } finally {
      await target.close();
    }
  });
});
