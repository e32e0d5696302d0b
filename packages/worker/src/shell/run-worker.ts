import { randomUUID } from 'node:crypto';
import {
  FAILURE_CODES,
  type FailureCode,
  type MonotonicMs,
  monotonicMs,
  PacecarError,
  tokenProblem,
} from '@pacecar/protocol';
import type { Logger } from 'pino';
import { SessionCore } from '../core/index.js';
import { DRIVERS } from '../drivers/registry.js';
import { createStageEngine } from '../engine-host/create-stage-engine.js';
import { calibrationMachine, calibrationPath, readCalibration } from './calibration-file.js';
import type { KeeperOptions } from '../services/keeper.js';
import { ServiceDesk } from '../services/service-desk.js';
import { driverFacts, hostFacts } from './host-facts.js';
import { Link, linkAddress } from './link.js';
import { SessionLoop } from './session-loop.js';
import { WorkEngine } from './work-engine.js';

export interface WorkerOptions {
  /** ws://host:port or wss://host:port. */
  readonly join: string;
  /** Sent in hello only; never in the address. */
  readonly token: string | null;
  readonly name: string | null;
  readonly group: string | null;
  readonly index: number | null;
  /** Whether the worker ends with the run or waits for the next one. */
  readonly afterRun: 'exit' | 'wait';
  /** PEM file of the certificate authority to trust for wss, instead of the system's. */
  readonly caFile: string | null;
  readonly logger: Logger;
  /** Aborting ends the worker; `reason` 'SIGTERM' says so, anything else means SIGINT. */
  readonly signal?: AbortSignal;
  /** Where servers of services work, and whether their files are kept. */
  readonly services?: Pick<KeeperOptions, 'workDirectory' | 'keepsFiles'>;
  /** How long to try for a first welcome; null: for ever. Default a minute, and for ever for afterRun `wait`. */
  readonly joinWithinMs?: number | null;
}

export interface WorkerEnd {
  /** As the process should end: 0, or that of the failure code. */
  readonly exitCode: number;
  /** null when the run ended as it should for this worker. */
  readonly code: FailureCode | null;
  readonly reason: string;
}

const LOOPBACK = '127.0.0.1';
const JOIN_WITHIN_MS = 60_000;
/** Soon enough that a short cut costs nothing, seldom enough that a thousand workers do not flood a coordinator. */
const RECONNECT = { firstMs: 100, longestMs: 2_000 } as const;

/**
 * Joins a coordinator and works until the run is over. Resolves when the engine's threads and the connection are
 * gone. Throws PacecarError REQUEST_INVALID for options that no coordinator could take.
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const { logger, signal, token, afterRun } = options;
  const problem = token === null ? null : tokenProblem(token);
  if (problem !== null)
    throw new PacecarError('REQUEST_INVALID', `the token ${problem}; give that of the coordinator`);
  const address = await linkAddress(options.join, options.caFile);
  const originNs = process.hrtime.bigint();
  const nowMs = (): MonotonicMs => monotonicMs(Number(process.hrtime.bigint() - originNs) / 1e6);
  const joinWithinMs =
    options.joinWithinMs !== undefined ? options.joinWithinMs : afterRun === 'wait' ? null : JOIN_WITHIN_MS;
  const facts = hostFacts();
  const ceiling = readCalibration(calibrationPath(process.env), calibrationMachine(facts));
  if (ceiling.problem !== null) logger.warn(ceiling.problem);
  const core = new SessionCore({
    hello: {
      token,
      workerId: randomUUID(),
      generation: 0,
      name: options.name,
      group: options.group,
      index: options.index,
      facts,
      drivers: driverFacts(DRIVERS),
      calibration: ceiling.calibration,
    },
    afterRun,
    reconnect: { ...RECONNECT, joinWithinMs },
    nowMs: nowMs(),
  });
  const desk = new ServiceDesk({
    ...options.services,
    host: () => link.localAddress ?? LOOPBACK,
    nowMs,
    onDeath: (service, reason) => loop.feed({ kind: 'service-died', service, reason }),
  });
  const engine = new WorkEngine(createStageEngine({ originNs, logger }), desk);
  let resolveEnd: (end: WorkerEnd) => void = () => undefined;
  const ended = new Promise<WorkerEnd>((resolve) => {
    resolveEnd = resolve;
  });
  const loop = new SessionLoop({
    core,
    engine,
    logger,
    nowMs,
    ended: (code, why) => {
      const problem = code === 'COORDINATOR_LOST' ? link.lastProblem : null;
      const reason = problem === null || why === problem ? why : `${why}; the last attempt: ${problem}`;
      resolveEnd({ exitCode: code === null ? 0 : FAILURE_CODES[code], code, reason });
    },
  });
  const link = new Link(address, loop, nowMs);
  const interrupt = (): void =>
    loop.feed({ kind: 'interrupt', signal: signal?.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT' });
  loop.begin(link);
  signal?.addEventListener('abort', interrupt);
  if (signal?.aborted === true) interrupt();
  const end = await ended;
  signal?.removeEventListener('abort', interrupt);
  await Promise.all([engine.close(), link.disconnect()]);
  return end;
}
