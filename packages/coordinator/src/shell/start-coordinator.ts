import { randomBytes } from 'node:crypto';
import { type FailureCode, type MonotonicMs, monotonicMs, type Plan } from '@pacecar/protocol';
import type { Logger } from 'pino';
import { RunCore } from '../core/index.js';
import { HELLO_TIMEOUT_MS } from '../core/timing.js';
import { createBundleDirectory } from '../record/bundle-directory.js';
import type { LiveFigures } from '../record/live-intervals.js';
import { RecordPort } from '../record/record-port.js';
import { redactor, secretsOf } from '../record/secrets.js';
import { checkListenAddress, joinUrl } from './listen-address.js';
import { Listener } from './listener.js';
import { type Progress, progressOf } from './progress.js';
import { RunLoop } from './run-loop.js';

export interface CoordinatorOptions {
  readonly plan: Plan;
  /** The scenario as read; written to the bundle with every secret replaced. */
  readonly scenarioText: string;
  /** Created here; it may exist only if it is empty. */
  readonly bundleDirectory: string;
  /** As typed; written with every secret replaced. */
  readonly commandLine: readonly string[];
  /** Port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Required of every worker; null only on loopback. */
  readonly token: string | null;
  /** Serves wss when given. PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly logger: Logger;
  /** About once a second, and once when the run has ended. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How the run ended. */
export interface RunEnd {
  readonly outcome: 'complete' | 'failed' | 'interrupted';
  readonly code: FailureCode | null;
  readonly reason: string;
}

export interface RunningCoordinator {
  /** What workers join: ws://host:port or wss://host:port. */
  readonly url: string;
  readonly port: number;
  readonly epoch: number;
  /** Resolves, never rejects, when the bundle is flushed and every connection and thread has ended. */
  readonly finished: Promise<RunEnd>;
  interrupt(signal: 'SIGINT' | 'SIGTERM'): void;
  /** Ends the run as failed, for a reason that only the caller knows. Nothing happens once the end is decided. */
  fail(code: FailureCode, reason: string): void;
}

/** An interrupted command ends within five seconds, whatever the disk does; draining may take half of them. */
const RECORD_CLOSE_MS = { complete: 30_000, failed: 10_000, interrupted: 2_000 } as const;

/**
 * Creates the bundle, listens and runs the plan. Resolves once workers can join. Throws PacecarError:
 * REQUEST_INVALID (address, certificate, no token beyond loopback), STORAGE (the bundle directory).
 */
export async function startCoordinator(options: CoordinatorOptions): Promise<RunningCoordinator> {
  const { plan, token, listen, tls, logger } = options;
  checkListenAddress(listen.host, token);
  const nowMs = processClock();
  const runStartMs = nowMs();
  const epoch = newEpoch();
  const redact = redactor(secretsOf(plan, token));
  const core = new RunCore({ plan, epoch, token, nowMs: runStartMs });

  let figures: LiveFigures | null = null;
  let over = false;
  const showProgress = (): void => {
    try {
      options.onProgress?.(progressOf(core.view(), figures, nowMs(), runStartMs));
    } catch (thrown) {
      logger.error({ err: thrown }, 'the progress display failed');
    }
  };
  let resolveEnd: (end: RunEnd) => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve) => {
    resolveEnd = resolve;
  });
  const loop = new RunLoop({
    core,
    logger,
    redact,
    nowMs,
    runStartMs,
    onFigures: (latest) => {
      figures = latest;
      if (!over) showProgress();
    },
    ended: (end) => {
      over = true;
      resolveEnd(end);
    },
  });

  // The address first: a run that cannot listen leaves no empty bundle behind.
  const listener = await Listener.start({ ...listen, tls, upgradeTimeoutMs: HELLO_TIMEOUT_MS, nowMs }, loop);
  loop.attach(listener);
  const directory = options.bundleDirectory;
  try {
    await createBundleDirectory(directory, { ...options, redact });
  } catch (thrown) {
    await listener.end('the coordinator did not start');
    throw thrown;
  }
  const cellConfigurations = plan.cells.map((cell) => cell.configuration);
  const record = new RecordPort({ directory, intervalMs: plan.intervalMs, cellConfigurations }, loop);

  const finished = ended.then(async (end): Promise<RunEnd> => {
    const [lost] = await Promise.all([
      record.close(RECORD_CLOSE_MS[end.outcome]),
      listener.end(`the run is over: ${end.outcome}`),
    ]);
    showProgress();
    if (lost === null || end.code === 'STORAGE') return end;
    const reason = `the bundle ${directory} is not whole: ${lost}`;
    return end.outcome === 'complete'
      ? { outcome: 'failed', code: 'STORAGE', reason }
      : { ...end, reason: `${end.reason}; ${reason}` };
  });
  loop.begin(record);
  const url = joinUrl(listen.host, listener.port, tls !== null);
  return {
    url,
    port: listener.port,
    epoch,
    finished,
    interrupt: (signal) => loop.feed({ kind: 'interrupt', signal }),
    fail: (code, reason) => loop.feed({ kind: 'fail', code, reason }),
  };
}

/** This process's monotonic clock, from now on. */
function processClock(): () => MonotonicMs {
  const originNs = process.hrtime.bigint();
  return () => monotonicMs(Number(process.hrtime.bigint() - originNs) / 1e6);
}

/** Differs from that of every other run: 48 random bits, never 0. */
function newEpoch(): number {
  return randomBytes(6).readUIntBE(0, 6) + 1;
}
