/** What is said between a worker and the guard of its servers, over the channel between parent and child. */

export interface SpawnOrder {
  /** Chosen by the worker; the guard calls the process by it from now on. */
  readonly id: number;
  /** Full path. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where it runs. */
  readonly directory: string;
  /** Takes its standard output and error; at most so many bytes are kept, the newest. */
  readonly logFile: string;
  readonly logBytes: number;
}

export type ToGuard =
  /** Removed when the guard ends, whatever the reason; null keeps what is there. */
  | { readonly kind: 'begin'; readonly directory: string | null }
  | ({ readonly kind: 'spawn' } & SpawnOrder)
  | { readonly kind: 'signal'; readonly id: number; readonly signal: NodeJS.Signals }
  /** End every process, then the guard itself. */
  | { readonly kind: 'end' };

export type FromGuard =
  | { readonly kind: 'spawned'; readonly id: number; readonly pid: number }
  | { readonly kind: 'not-spawned'; readonly id: number; readonly reason: string }
  | {
      readonly kind: 'exited';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
