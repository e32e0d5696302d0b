/** A lock between processes: a directory, which only one can make, and whose time says that its owner lives. */
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const RENEW_MS = 1_000;
/** An owner that has not renewed for this long was killed. Ten renewals: a busy machine is not taken for a dead one. */
const ABANDONED_MS = 10_000;
/** Whoever interrupts the owner does not want to wait that long at the next start. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Waits until the lock is free, holds it while `work` runs, and gives its result.
 * @param {string} path
 * @param {{ onWait: () => void, work: () => Promise<unknown> }} options onWait: called once if somebody holds the lock.
 */
export async function withLock(path, { onWait, work }) {
  let waited = false;
  while (!make(path)) {
    if (isAbandoned(path)) removeAbandoned(path);
    else {
      if (!waited) onWait();
      waited = true;
      await wait(200);
    }
  }
  const renewal = setInterval(() => renew(path), RENEW_MS);
  const release = () => rmSync(path, { recursive: true, force: true });
  const giveUp = (signal) => {
    release();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, giveUp);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, giveUp);
    clearInterval(renewal);
    release();
  }
}

function make(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function renew(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Removed by hand, or taken over after this process was suspended: the work goes on, its steps can be repeated.
  }
}

function isAbandoned(path) {
  try {
    return Date.now() - statSync(path).mtimeMs > ABANDONED_MS;
  } catch {
    return false;
  }
}

/** Under a lock of its own, so that of several that find it abandoned none removes the lock that another made since. */
function removeAbandoned(path) {
  const removal = `${path}.removal`;
  if (!make(removal)) {
    if (isAbandoned(removal)) rmSync(removal, { recursive: true, force: true });
    return;
  }
  if (isAbandoned(path)) rmSync(path, { recursive: true, force: true });
  rmSync(removal, { recursive: true, force: true });
}
