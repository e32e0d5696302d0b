import { type Action, type Operation, OPERATIONS, type Workload } from '@pacecar/protocol';
import type { ClientTask } from './client-task.js';

/** How an operation that was answered went: what it found and what it did not, or its kind of error. */
export type Outcome = Found | { readonly error: string };
export interface Found {
  readonly hits: number;
  readonly misses: number;
}

/** Nothing was looked up. */
export const DONE: Outcome = { hits: 0, misses: 0 };
export const HIT: Outcome = { hits: 1, misses: 0 };
export const MISS: Outcome = { hits: 0, misses: 1 };
/** A value is not the one that belongs to its key. */
export const MISMATCH: Outcome = { error: 'VALUE_MISMATCH' };
/** A transaction that did not happen because somebody else changed what it had watched. */
export const CONFLICT: Outcome = { error: 'CONFLICT' };

/**
 * One action of a mix on a library with promises. `start` asks the library, in as many steps as it takes, and counts
 * what goes over the wire on the task as far as it can be known; its promise rejects with the library's own error.
 * `judge` says what the answer means; the clock has stopped by then, so that checking costs the target nothing.
 */
export interface ClientAction<Client, Answer = unknown> {
  start(client: Client, task: ClientTask): Promise<Answer>;
  judge(answer: Answer, task: ClientTask, client: Client): Outcome;
}

/**
 * What a client driver does for each operation that it has: a function which is asked once for each action of a mix,
 * and may throw PacecarError REQUEST_INVALID for an action that lacks something.
 */
export type ActionTable<Client> = {
  readonly [Name in Operation]?: (action: Action, workload: Workload) => ClientAction<Client>;
};

export function operationsOf<Client>(table: ActionTable<Client>): Operation[] {
  return OPERATIONS.filter((operation) => table[operation] !== undefined);
}
