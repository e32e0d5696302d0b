/**
 * The guard: a small process between a worker and the servers that it runs. The servers are its children, so it knows
 * them and no others. When the worker goes, however it goes, the channel ends, and the guard ends the servers, removes
 * what they left, and goes too. It runs in a session of its own, so that Ctrl-C in a terminal reaches the worker only,
 * which then stops its servers in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { BoundedLog } from './bounded-log.js';
import type { FromGuard, SpawnOrder, ToGuard } from './messages.js';

/** From asking the servers of a dead worker to end until they are killed: nobody will read their data. */
const PATIENCE_MS = 3_000;
const LAST_WORDS_MS = 200;

const children = new Map<number, ChildProcess>();
let directory: string | null = null;
let ending = false;

function say(message: FromGuard): void {
  // A worker that has just gone hears nothing more; its `disconnect` is on the way.
  if (process.connected) process.send?.(message, () => undefined);
}

function start(order: SpawnOrder): void {
  const { id } = order;
  let log: BoundedLog;
  let child: ChildProcess;
  try {
    log = new BoundedLog(order.logFile, order.logBytes);
    child = spawn(order.program, [...order.arguments], {
      cwd: order.directory,
      env: order.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that SIGKILL reaches what it forked as well, for example a snapshot in the making.
      detached: true,
    });
  } catch (thrown) {
    say({ kind: 'not-spawned', id, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    return;
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => log.write(chunk));
  child.once('spawn', () => {
    children.set(id, child);
    say({ kind: 'spawned', id, pid: child.pid as number });
    if (ending) signal(child, 'SIGKILL');
  });
  child.on('error', (error) => {
    if (child.pid === undefined) say({ kind: 'not-spawned', id, reason: error.message });
  });
  child.once('close', () => log.close());
  child.once('exit', (code, signal) => {
    const tell = (): void => {
      if (children.delete(id)) say({ kind: 'exited', id, code, signal });
      leaveIfAlone();
    };
    // The pipes may still hold the words that explain it; a forked process may hold them open for longer.
    child.once('close', tell);
    setTimeout(tell, LAST_WORDS_MS).unref();
  });
}

/** SIGKILL takes the whole group; everything else is for the server alone. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (name !== 'SIGKILL' || child.pid === undefined) {
    child.kill(name);
    return;
  }
  try {
    process.kill(-child.pid, name);
  } catch {
    // None of the group is left.
  }
}

function end(): void {
  if (ending) return;
  ending = true;
  for (const child of children.values()) {
    child.kill('SIGTERM');
    // One that is suspended takes the signal only when it goes on.
    child.kill('SIGCONT');
  }
  setTimeout(() => {
    for (const child of children.values()) signal(child, 'SIGKILL');
  }, PATIENCE_MS);
  leaveIfAlone();
}

function leaveIfAlone(): void {
  if (!ending || children.size > 0) return;
  if (directory !== null) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

process.on('message', (message: ToGuard) => {
  switch (message.kind) {
    case 'begin':
      directory = message.directory;
      break;
    case 'spawn':
      start(message);
      break;
    case 'signal': {
      const child = children.get(message.id);
      if (child !== undefined) signal(child, message.signal);
      break;
    }
    case 'end':
      end();
      break;
  }
});
process.once('disconnect', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
