import type { Configuration, FailureCode, Stage, TargetFacts } from '@pacecar/protocol';
import type { ThreadPart } from '../engine/frame-merge.js';
import type { StreamIdentity } from '../engine/operation-stream.js';
import type { InsertMemory } from '../engine/inserted-keys.js';
import type { LanePortion } from '../engine/portion.js';

/** What an engine thread is started with. */
export interface ThreadData {
  /** Zero of the process's monotonic clock, as `process.hrtime.bigint()` counts. */
  readonly originNs: bigint;
}

/** `stage` counts the stages of the process, so that a late message of one is not taken for the next one's. */
export type ToThread =
  | {
      readonly type: 'arm';
      readonly stage: number;
      readonly spec: Stage;
      readonly configuration: Configuration;
      readonly lanes: readonly LanePortion[];
      readonly identity: StreamIdentity;
      readonly intervalNs: number;
      /** By workload that inserts keys: which ones may be read, shared by the threads. */
      readonly insertMemory: readonly (readonly [workload: number, memory: InsertMemory])[];
      /** One thread asks the target about itself. */
      readonly inspects: boolean;
    }
  | { readonly type: 'go'; readonly stage: number; readonly startNs: number }
  | { readonly type: 'stop'; readonly stage: number }
  | { readonly type: 'abandon'; readonly stage: number };

export type FromThread =
  | {
      readonly type: 'armed';
      readonly stage: number;
      readonly connections: number;
      readonly target: TargetFacts | null;
    }
  | { readonly type: 'part'; readonly stage: number; readonly part: ThreadPart }
  | {
      readonly type: 'finished';
      readonly stage: number;
      readonly elapsedNs: number;
      readonly failure: { readonly code: FailureCode; readonly reason: string } | null;
    }
  | { readonly type: 'failed'; readonly stage: number; readonly code: FailureCode; readonly reason: string };
