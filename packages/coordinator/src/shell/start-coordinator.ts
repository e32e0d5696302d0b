import type { FailureCode, Plan } from '@pacecar/protocol';
import type { Logger } from 'pino';
import type { Progress } from './progress.js';

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
  /** A connection that has not said hello within this time is closed. Default 10 s. */
  readonly helloTimeoutMs?: number;
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
}

/**
 * Creates the bundle, listens and runs the plan. Resolves once workers can join. Throws PacecarError:
 * REQUEST_INVALID (address, certificate, no token beyond loopback), STORAGE (the bundle directory).
 */
export async function startCoordinator(_options: CoordinatorOptions): Promise<RunningCoordinator> {
  throw new Error('being written');
}
