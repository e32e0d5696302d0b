/**
 * Entry point of a waker: a thread that sleeps to a time exactly, which a thread that also reads sockets cannot, and then
 * wakes that other one by a message. Started by Waker.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { NEVER_NS, WakerMemory } from './waker-memory.js';

const port = parentPort;
if (port === null) throw new Error('a waker is started by its engine thread');
const { turn, dueNs } = new WakerMemory(workerData as SharedArrayBuffer);

for (;;) {
  const seen = Atomics.load(turn, 0);
  const atNs = Atomics.load(dueNs, 0);
  if (atNs === NEVER_NS) {
    Atomics.wait(turn, 0, seen);
    continue;
  }
  const leftNs = Number(atNs - process.hrtime.bigint());
  if (leftNs > 0) {
    Atomics.wait(turn, 0, seen, leftNs / 1e6);
  } else {
    // Unless another time was asked for meanwhile.
    Atomics.compareExchange(dueNs, 0, atNs, NEVER_NS);
    port.postMessage(null);
  }
}
