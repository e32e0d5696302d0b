export interface TargetOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Asked of every connection by AUTH when given. */
  readonly password?: string;
  /** Called with one line of text for each thing a person may want to know. */
  readonly log?: (text: string) => void;
}

export interface RunningTarget {
  readonly host: string;
  readonly port: number;
  /** Calls per command in lower case (`get`, `set`, `del` ...) since the start or the last CONFIG RESETSTAT. */
  counters(): Record<string, number>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

/** Pacecar's own target: RESP from memory in one process. Throws PacecarError REQUEST_INVALID if it cannot listen. */
export async function startTarget(_options: TargetOptions): Promise<RunningTarget> {
  throw new Error('being written');
}
