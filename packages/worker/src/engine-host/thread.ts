/** Entry point of an engine thread: one stage at a time, on the process's monotonic clock. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { asPacecarError, type TargetFacts } from '@pacecar/protocol';
import { loadDriver } from '../drivers/load-driver.js';
import type { Channel } from '../engine/driver-port.js';
import type { Lane } from '../engine/lane.js';
import { StageRun } from '../engine/stage-run.js';
import { HrtimeClock } from './hrtime-clock.js';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';

/** Timers may be late by a millisecond or two; the rest of the wait for the start is spent watching the clock. */
const WATCHED_NS = 3e6;

type Arm = Extract<ToThread, { type: 'arm' }>;

const port = parentPort;
if (port === null) throw new Error('an engine thread is started by its host');
const clock = new HrtimeClock((workerData as ThreadData).originNs);

/** The stage at hand; -1: none. */
let stage = -1;
let run: StageRun | null = null;
let timer: NodeJS.Timeout | null = null;
let longestDelayNs = 0;
let utilisationSince = performance.eventLoopUtilization();

port.on('message', (message: ToThread) => {
  if (message.type === 'arm') {
    void arm(message);
  } else if (message.stage === stage) {
    if (message.type === 'go') waitFor(message.startNs, message.stage);
    else if (message.type === 'stop') stop();
    else abandon();
  }
});

function send(message: FromThread): void {
  port?.postMessage(message);
}

async function arm(message: Arm): Promise<void> {
  abandon();
  const mine = message.stage;
  stage = mine;
  try {
    const driver = await loadDriver({
      configuration: message.configuration,
      connectTimeoutMs: message.spec.connectTimeoutMs,
      clock,
    });
    let target: TargetFacts | null = null;
    if (message.inspects && stage === mine) target = await driver.inspect();
    if (stage !== mine) return;
    const channels = new Map<number, (lane: Lane) => Channel>();
    for (const { workload } of message.lanes) {
      const spec = message.spec.workloads[workload];
      if (spec !== undefined && !channels.has(workload)) channels.set(workload, driver.prepare(spec));
    }
    run = new StageRun({
      stage: message.spec,
      lanes: message.lanes,
      identity: message.identity,
      intervalNs: message.intervalNs,
      clock,
      channels,
      report: {
        armed: (connections) => send({ type: 'armed', stage: mine, connections, target }),
        part: (part) => send({ type: 'part', stage: mine, part: { part, health: health() } }),
        finished: (elapsedNs, failure) => {
          const reported = failure === null ? null : { code: failure.code, reason: failure.message };
          send({ type: 'finished', stage: mine, elapsedNs, failure: reported });
        },
        failed: (error) => send({ type: 'failed', stage: mine, code: error.code, reason: error.message }),
      },
    });
    run.arm();
    tick();
  } catch (thrown) {
    if (stage !== mine) return;
    const error = asPacecarError(thrown);
    send({ type: 'failed', stage: mine, code: error.code, reason: error.message });
  }
}

function waitFor(startNs: number, mine: number): void {
  if (stage !== mine) return;
  const leftNs = startNs - clock.nowNs();
  if (leftNs > WATCHED_NS) {
    setTimeout(() => waitFor(startNs, mine), Math.floor((leftNs - WATCHED_NS) / 1e6));
  } else if (leftNs > 0) {
    setImmediate(() => waitFor(startNs, mine));
  } else {
    utilisationSince = performance.eventLoopUtilization();
    longestDelayNs = 0;
    run?.begin(startNs);
    tick();
  }
}

function stop(): void {
  if (run === null) {
    // Still loading the driver or asking the target.
    send({ type: 'finished', stage, elapsedNs: 0, failure: null });
    stage = -1;
  } else {
    run.stop();
  }
}

function abandon(): void {
  run?.abandon();
  run = null;
  stage = -1;
  if (timer !== null) clearTimeout(timer);
  timer = null;
}

/** Lets the run do what is due, and comes back when it asks for it. */
function tick(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const inNs = run?.tick() ?? null;
  if (inNs === null) return;
  const dueMs = Math.ceil(inNs / 1e6);
  const dueNs = clock.nowNs() + Math.max(1, dueMs) * 1e6;
  timer = setTimeout(() => {
    longestDelayNs = Math.max(longestDelayNs, clock.nowNs() - dueNs);
    tick();
  }, dueMs);
}

/** How this thread fared since the last question. */
function health(): { utilisation: number; delayNs: number } {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, utilisationSince);
  utilisationSince = now;
  const delayNs = Math.round(longestDelayNs);
  longestDelayNs = 0;
  return { utilisation: Number.isFinite(utilization) ? Math.min(1, Math.max(0, utilization)) : 0, delayNs };
}
