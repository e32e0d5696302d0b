/** Entry point of an engine thread: one stage at a time, on the process's monotonic clock. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { asPacecarError, type TargetFacts } from '@pacecar/protocol';
import { loadDriver } from '../drivers/load-driver.js';
import type { Channel } from '../engine/driver-port.js';
import type { Lane } from '../engine/lane.js';
import { StageRun } from '../engine/stage-run.js';
import { HrtimeClock } from './hrtime-clock.js';
import { sleep, StageClock } from './stage-clock.js';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';

/** A timer ends so long before the start; the rest is slept. */
const SLEPT_NS = 30e6;
/** The end of the wait for the start is spent watching the clock, which a sleep may miss by less than this. */
const WATCHED_NS = 150e3;

type Arm = Extract<ToThread, { type: 'arm' }>;

const port = parentPort;
if (port === null) throw new Error('an engine thread is started by its host');
const clock = new HrtimeClock((workerData as ThreadData).originNs);

/** The stage at hand; -1: none. */
let stage = -1;
let run: StageRun | null = null;
const stageClock = new StageClock(clock);
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
      insertMemory: new Map(message.insertMemory),
      report: {
        armed: (connections) => send({ type: 'armed', stage: mine, connections, target }),
        part: (part) => send({ type: 'part', stage: mine, part: { part, health: health() } }),
        finished: (elapsedNs, failure) => {
          const reported = failure === null ? null : { code: failure.code, reason: failure.message };
          send({ type: 'finished', stage: mine, elapsedNs, failure: reported });
        },
        failed: (error) => send({ type: 'failed', stage: mine, code: error.code, reason: error.message }),
        sooner: (atNs) => stageClock.sooner(atNs),
      },
    });
    run.arm();
    stageClock.start(run);
  } catch (thrown) {
    if (stage !== mine) return;
    const error = asPacecarError(thrown);
    send({ type: 'failed', stage: mine, code: error.code, reason: error.message });
  }
}

/** Sleeping to a start brings threads that share a core to it closer together than watching the clock all the time. */
function waitFor(startNs: number, mine: number): void {
  if (stage !== mine) return;
  const leftNs = startNs - clock.nowNs();
  if (leftNs > SLEPT_NS + 1e6) {
    setTimeout(() => waitFor(startNs, mine), Math.floor((leftNs - SLEPT_NS) / 1e6));
    return;
  }
  if (leftNs > WATCHED_NS) sleep(leftNs - WATCHED_NS);
  while (clock.nowNs() < startNs);
  utilisationSince = performance.eventLoopUtilization();
  stageClock.longestDelayNs = 0;
  stageClock.waitedNs = 0;
  if (run === null) return;
  run.begin(startNs);
  stageClock.start(run);
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
  stageClock.stop();
}

/** How this thread fared since the last question. */
function health(): { utilisation: number; delayNs: number } {
  const now = performance.eventLoopUtilization();
  const { active, idle } = performance.eventLoopUtilization(now, utilisationSince);
  utilisationSince = now;
  // Waiting for a due time is not work, whatever the event loop thinks.
  const utilisation = (active - stageClock.waitedNs / 1e6) / (active + idle);
  const delayNs = Math.round(stageClock.longestDelayNs);
  stageClock.longestDelayNs = 0;
  stageClock.waitedNs = 0;
  return { utilisation: Number.isFinite(utilisation) ? Math.min(1, Math.max(0, utilisation)) : 0, delayNs };
}
