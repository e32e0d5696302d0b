import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Action, type Operation, plainAction } from '@pacecar/protocol';
import { needs } from '../services/installed.js';
import { eventually } from '../services/condition.js';
import { commandCalls, redisCommand } from '../services/redis-command.js';
import { type StartedService, startService } from '../services/start-service.js';
import {
  checkIdentities,
  errorsOf,
  type StageResult,
  StageRig,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const SETTINGS = { mode: 'cluster' } as const;

/** Sums of notes over all frames. */
function notesOf(result: StageResult): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { notes = {} } of result.frames.flatMap(({ rows }) => rows))
    for (const [note, count] of Object.entries(notes)) sums[note] = (sums[note] ?? 0) + count;
  return sums;
}

describe('driver resp on a Redis Cluster of 3 + 3', needs('redis-server'), () => {
  let rig: StageRig;
  let cluster: StartedService;
  const ports = (role: string) => cluster.nodes.filter((node) => node.role === role).map(({ port }) => port);

  before(async () => {
    rig = new StageRig();
    cluster = await startService('redis-cluster', {
      parameters: { masters: 3, replicas: 1, nodeTimeout: 1_000 },
    });
  });
  /** A replica is shown once nodes have heard that it has copied something. */
  const showsReplicas = async (port: number) => {
    const ranges = (await redisCommand(port, 'CLUSTER', 'SLOTS')) as unknown[][];
    return ranges.every((range) => range.length === 4);
  };
  after(async () => {
    await rig.close();
    await cluster?.close();
  });

  async function callsOf(role: string): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const port of ports(role))
      for (const [name, count] of Object.entries(await commandCalls(port)))
        sums[name] = (sums[name] ?? 0) + count;
    return sums;
  }

  const run = async (wishes: Omit<StageWishes, 'port'>, onFrame?: Parameters<StageRig['run']>[1]) => {
    const result = await rig.run({ port: ports('master')[0] ?? 0, settings: SETTINGS, ...wishes }, onFrame);
    assert.equal(result.failure, null, result.failure?.reason);
    checkIdentities(result);
    return result;
  };

  test('operations of all kinds on one key are as many as all masters together count', async () => {
    const kinds = {
      ...{ get: 'get', put: 'set', delete: 'del', increment: 'incr', expire: 'pexpire' },
      ...{ getRange: 'getrange', putRange: 'setrange' },
    } as const;
    const before = await callsOf('master');
    const range = { offsetBytes: 0, lengthBytes: 4 };
    const actions = (Object.keys(kinds) as (keyof typeof kinds)[]).map((operation): Action => {
      const action = plainAction(operation, 1);
      return {
        ...action,
        timeToLiveMs: operation === 'expire' ? 60_000 : null,
        range: operation.endsWith('Range') ? range : null,
      };
    });
    const result = await run({ operations: 2_003, connections: 5, depth: 4, threads: 2, actions });
    assert.equal(result.connections, 5);
    const after = await callsOf('master');
    let sent = 0;
    for (const [operation, command] of Object.entries(kinds)) {
      const total = totalOf(result, operation);
      assert.equal(total.sent, (after[command] ?? 0) - (before[command] ?? 0), command);
      sent += total.sent;
    }
    assert.equal(sent, 2_003);
    assert.deepEqual(notesOf(result), {});
  });

  test('every value is where it should be, and each master has its part of the keys', async () => {
    for (const port of ports('master')) await redisCommand(port, 'FLUSHALL');
    const keys = { end: { kind: 'keys' }, keys: 900, depth: 8, bytes: [0, 3_000] } as const;
    await run({ ...keys, mix: { put: 1 } });
    const sizes = await Promise.all(
      ports('master').map(async (port) => Number(await redisCommand(port, 'DBSIZE'))),
    );
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      900,
    );
    assert.ok(
      sizes.every((size) => size > 200),
      String(sizes),
    );
    const verify = await run({ ...keys, keys: 1_000, checkValues: true });
    assert.deepEqual([totalOf(verify, 'get').hits, totalOf(verify, 'get').misses], [900, 100]);
    const updates = await run({
      operations: 500,
      depth: 4,
      checkValues: true,
      mix: { readModifyWrite: 1 },
      keys: 900,
      bytes: [0, 3_000],
    });
    assert.deepEqual([totalOf(updates, 'readModifyWrite').ok, errorsOf(updates)], [500, {}]);
  });

  test('walks over all keys go on from master to master', async () => {
    for (const port of ports('master')) await redisCommand(port, 'FLUSHALL');
    await run({ end: { kind: 'keys' }, keys: 300, depth: 4, mix: { put: 1 } });
    const calls = () =>
      Promise.all(ports('master').map(async (port) => (await commandCalls(port))['scan'] ?? 0));
    const before = await calls();
    // Each call is enough for all keys of a master.
    const scan: Action = { ...plainAction('scan', 1), batch: 1_000 };
    const result = await run({ operations: 9, connections: 1, actions: [scan] });
    assert.equal(totalOf(result, 'scan').ok, 9);
    assert.deepEqual(
      (await calls()).map((count, index) => count - (before[index] ?? 0)),
      [3, 3, 3],
    );
  });

  test('operations on several keys work on keys of one slot', async () => {
    const keyShape = { prefix: '{user}:' };
    const batch = (operation: Operation): Action => ({ ...plainAction(operation, 1), batch: 5 });
    const result = await run({
      operations: 300,
      depth: 4,
      keyShape,
      keys: 50,
      actions: [batch('putAll'), batch('getAll')],
    });
    assert.deepEqual(errorsOf(result), {});
    assert.equal(totalOf(result, 'putAll').ok + totalOf(result, 'getAll').ok, 300);
  });

  test('transactions and commands of the target go to the node of their key', async () => {
    const transaction: Action = {
      ...plainAction('transaction', 1),
      commands: ['INCR __key__', 'EXPIRE __key__ 100'],
    };
    const command: Action = { ...plainAction('command', 1), commands: ['LPUSH list:__key__ __data__'] };
    const plain: Action = { ...plainAction('command', 1), name: 'literal', commands: ['INCR total'] };
    for (const port of ports('master')) await redisCommand(port, 'FLUSHALL');
    const result = await run({ operations: 300, depth: 4, actions: [transaction, command, plain] });
    assert.deepEqual([errorsOf(result), notesOf(result)], [{}, {}]);
    assert.equal(
      totalOf(result, 'transaction').ok + totalOf(result, 'command').ok + totalOf(result, 'literal').ok,
      300,
    );
  });

  test('reads from replicas leave the masters alone', async () => {
    for (const port of ports('master'))
      await eventually(`node ${port} shows its replicas`, () => showsReplicas(port));
    const before = { master: await callsOf('master'), replica: await callsOf('replica') };
    const settings = { ...SETTINGS, readFrom: 'replica' };
    const result = await run({ operations: 600, mix: { get: 1, put: 1 }, depth: 4, settings });
    const after = { master: await callsOf('master'), replica: await callsOf('replica') };
    const counted = (role: 'master' | 'replica', name: string) =>
      (after[role][name] ?? 0) - (before[role][name] ?? 0);
    assert.deepEqual([counted('master', 'get'), counted('replica', 'get')], [0, totalOf(result, 'get').sent]);
    assert.equal(counted('master', 'set'), totalOf(result, 'put').sent);
    const facts = result.target?.settings ?? {};
    assert.deepEqual([facts['cluster_masters'], facts['cluster_replicas']], ['3', '3']);
  });

  test('a slot that moves under load costs redirects and no error', async () => {
    const [from = 0] = ports('master');
    const slot = String(await redisCommand(from, 'CLUSTER', 'KEYSLOT', '{mover}'));
    const masters = ports('master');
    const isServedBy = async (port: number) =>
      String(await redisCommand(port, 'GET', '{mover}:')).length >= 0;
    const served = await Promise.all(masters.map(async (port) => isServedBy(port).catch(() => false)));
    const source = masters[served.indexOf(true)] ?? 0;
    const goal = masters[served.indexOf(false)] ?? 0;
    const idOf = async (port: number) => String(await redisCommand(port, 'CLUSTER', 'MYID'));
    const keyShape = { prefix: '{mover}:' };
    await run({ end: { kind: 'keys' }, keys: 400, keyShape, depth: 4, mix: { put: 1 } });
    const others: StageWishes['others'] = [{ name: 'others' }];
    const moves: Promise<void>[] = [];
    const move = async () => {
      const [idSource, idGoal] = [await idOf(source), await idOf(goal)];
      await redisCommand(goal, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', idSource);
      await redisCommand(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', idGoal);
      for (;;) {
        const found = (await redisCommand(source, 'CLUSTER', 'GETKEYSINSLOT', slot, '20')) as string[];
        if (found.length === 0) break;
        await redisCommand(source, 'MIGRATE', '127.0.0.1', String(goal), '', '0', '5000', 'KEYS', ...found);
      }
      for (const port of [
        goal,
        source,
        ...ports('master').filter((each) => each !== goal && each !== source),
      ])
        await redisCommand(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', idGoal);
    };
    const mix = { get: 3, put: 1 };
    const wishes = { durationMs: 1_500, keys: 400, keyShape, depth: 4, mix, checkValues: true, others };
    const result = await run(wishes, (frame) => {
      if (frame.interval >= 3 && moves.length === 0) moves.push(move());
    });
    await Promise.all(moves);
    assert.deepEqual(errorsOf(result), {});
    const notes = notesOf(result);
    assert.ok((notes['ASK'] ?? 0) > 0 && (notes['MOVED'] ?? 0) > 0, JSON.stringify(notes));
    for (const { sent, ok } of result.totals) assert.equal(sent, ok);
  });

  test('the standalone driver is refused, with what to say instead', async () => {
    const result = await rig.run({ port: ports('master')[0] ?? 0 });
    assert.equal(result.failure?.code, 'TARGET_PROTOCOL');
    assert.match(result.failure?.reason ?? '', /is a node of a cluster.*mode: cluster/);
  });

  // Last: it changes who is master.
  test('a master that is killed costs errors by kind for a while; the stage ends on time and recovers', async () => {
    const victim = ports('master')[2] ?? 0;
    const info = String(await redisCommand(victim, 'INFO', 'server'));
    const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
    let killed = false;
    const durationMs = 8_000;
    const result = await run(
      {
        durationMs,
        connections: 4,
        depth: 4,
        mix: { get: 1, put: 1 },
        workload: { reconnect: { everyOperations: null, firstBackOffMs: 10, longestBackOffMs: 200 } },
      },
      (frame) => {
        if (killed || frame.endNs < durationMs * 0.25e6) return;
        killed = true;
        process.kill(pid, 'SIGKILL');
      },
    );
    assert.ok(killed && result.elapsedMs < durationMs + 2_500, `${result.elapsedMs} ms`);
    for (const { sent, ok, errors, timeouts, aborted } of result.totals)
      assert.equal(sent, ok + errors + timeouts + aborted);
    const bad = result.frames.filter(({ rows }) =>
      rows.some((row) => Object.keys(row.errors).length > 0 || row.aborted > 0),
    );
    const kinds = Object.keys(errorsOf(result));
    assert.ok(bad.length > 0 && kinds.every((kind) => kind === 'UNREACHABLE'), kinds.join());
    const okIn = (frames: typeof result.frames) =>
      frames.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.ok, 0);
    const tail = result.frames.slice(-10);
    assert.ok(okIn(tail) > 0);
    assert.ok(
      tail.every(({ rows }) => rows.every((row) => Object.keys(row.errors).length === 0)),
      'errors to the end',
    );
  });
});
