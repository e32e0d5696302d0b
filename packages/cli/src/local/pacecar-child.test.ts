import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { PacecarChild } from './pacecar-child.js';

const CHILD = new URL('./pacecar-child.js', import.meta.url).href;

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (lives(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} is still there`);
    await wait(20);
  }
}

/** A process that starts a target as its child, says its pid once it listens, and then does `then`. */
async function parentThat(then: string): Promise<{ parent: number; child: number; ended: Promise<unknown> }> {
  const script = `
    import { PacecarChild } from ${JSON.stringify(CHILD)};
    const child = new PacecarChild({ title: 'target', arguments: ['target', '--port', '0'], environment: {}, stdout: 'pipe', log: 'pipe' });
    child.process.stdout.once('data', () => {
      process.stdout.write(String(child.process.pid));
      ${then}
    });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(parent, 'exit');
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent: parent.pid as number, child: Number(String(pid)), ended };
}

test('a child ends with a parent that throws', async () => {
  const { child, ended } = await parentThat("throw new Error('a defect');");
  await ended;
  await gone(child);
});

test('a child ends with a parent that exits', async () => {
  const { child, ended } = await parentThat('process.exit(0);');
  await ended;
  await gone(child);
});

test('a child ends by itself when its parent is killed', async () => {
  const { parent, child } = await parentThat('');
  assert.ok(lives(child));
  process.kill(parent, 'SIGKILL');
  await gone(child);
});

test('a child that does not end when asked is killed', async () => {
  const child = new PacecarChild({
    title: 'target',
    arguments: ['target', '--port', '0'],
    environment: {},
    stdout: 'pipe',
    log: 'pipe',
  });
  assert.ok(child.process.stdout);
  await once(child.process.stdout, 'data');
  child.process.kill('SIGSTOP');
  assert.equal((await child.stop(0)).signal, 'SIGKILL');
  assert.equal(child.stopped, true);
});
