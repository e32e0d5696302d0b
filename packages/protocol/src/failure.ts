/** How a process of Pacecar ends. */
export const EXIT = {
  ok: 0,
  /** The run ran and failed: INVALID, error budget, objective missed, DEGRADED with --strict. */
  failed: 1,
  /** The request is wrong; nothing was sent. */
  request: 2,
  /** A worker lost, a target not reached, a launch failed. */
  infrastructure: 3,
  /** 128 + SIGINT. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

/** Closed set: the code says what kind of failure, the message says what to do. */
export const FAILURE_CODES = {
  /** A scenario, flag or file is wrong. */
  REQUEST_INVALID: EXIT.request,
  /** A driver lacks an operation or setting that the plan asks for. */
  UNSUPPORTED: EXIT.request,
  /** hello: protocol versions differ. */
  VERSION_MISMATCH: EXIT.infrastructure,
  /** hello: the token is wrong or missing. */
  TOKEN_REJECTED: EXIT.infrastructure,
  /** hello: a live worker has this name. */
  NAME_TAKEN: EXIT.infrastructure,
  /** hello: a live worker has this index, or it is outside the group. */
  INDEX_TAKEN: EXIT.infrastructure,
  /** hello: no group of that name. */
  GROUP_UNKNOWN: EXIT.infrastructure,
  /** hello: the group has all its workers, or the run has begun. */
  TOO_LATE: EXIT.infrastructure,
  /** A message or frame of another run. */
  EPOCH_STALE: EXIT.infrastructure,
  /** A message that does not parse, or is not allowed in this state. */
  MESSAGE_INVALID: EXIT.infrastructure,
  LIMIT_EXCEEDED: EXIT.infrastructure,
  /** Not everybody joined, armed or drained in time. */
  DEADLINE_PASSED: EXIT.infrastructure,
  WORKER_LOST: EXIT.infrastructure,
  COORDINATOR_LOST: EXIT.infrastructure,
  /** The target does not answer. */
  TARGET_UNREACHABLE: EXIT.infrastructure,
  /** The target refuses the password, user or database. */
  TARGET_DENIED: EXIT.infrastructure,
  /** The target speaks another protocol. */
  TARGET_PROTOCOL: EXIT.infrastructure,
  /** A server that a worker was to run is not installed, does not start, does not get ready, or ended by itself. */
  SERVICE_FAILED: EXIT.infrastructure,
  /** A bundle or file cannot be read or written. */
  STORAGE: EXIT.infrastructure,
  INTERRUPTED: EXIT.interrupted,
  TERMINATED: EXIT.terminated,
  /** A defect of Pacecar itself. */
  INTERNAL: EXIT.failed,
} as const;

export type FailureCode = keyof typeof FAILURE_CODES;

/** The one error class that crosses a boundary. `message` names the thing, the value, what is allowed, what to do. */
export class PacecarError extends Error {
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PacecarError';
    this.code = code;
  }
  get exitCode(): number {
    return FAILURE_CODES[this.code];
  }
}

/** Any thrown value as a PacecarError; what is not one of ours is a defect and keeps its stack as cause. */
export function asPacecarError(thrown: unknown): PacecarError {
  if (thrown instanceof PacecarError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new PacecarError('INTERNAL', message, { cause: thrown });
}
