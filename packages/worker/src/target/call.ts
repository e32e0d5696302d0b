import type { CommandStatistics } from './command-statistics.js';
import type { Database } from './database.js';
import type { ReplyBuffer } from './reply-buffer.js';
import type { Waiting, WaitingRoom } from './waiting-room.js';

/** What the target knows of one connection. */
export interface Session {
  readonly id: number;
  database: Database;
  authenticated: boolean;
  resp3: boolean;
  name: string;
  /** Set by QUIT: the connection ends once the replies are written. */
  leaving: boolean;
  /** Commands since MULTI; null outside of a transaction. */
  queued: QueuedCommand[] | null;
  /** A command could not be queued: EXEC refuses them all. */
  spoiled: boolean;
  /** Its last command is not answered yet, and the next one is not begun before it is. */
  waiting: Waiting | null;
  /** Writes the answer for which it waited; then it goes on. */
  readonly answer: (reply: (out: ReplyBuffer) => void) => void;
}

/** A command kept for EXEC, in memory of its own. */
export interface QueuedCommand {
  readonly bytes: Buffer;
  readonly bounds: readonly number[];
  readonly argumentCount: number;
}

/** A command under way: its arguments lie in `bytes`, argument 0 is the name. */
export interface Call extends QueuedCommand {
  readonly session: Session;
  readonly out: ReplyBuffer;
  readonly statistics: CommandStatistics;
  readonly waitingRoom: WaitingRoom;
  /** False between MULTI and EXEC: what would wait finds nothing instead. */
  readonly mayWait: boolean;
}

/** Writes the reply and says whether it was one (false: an error). */
export type Run = (call: Call) => boolean;

export interface CommandDefinition {
  /** As Redis counts: with the name; negative means at least that many. */
  readonly arity: number;
  readonly run: Run;
}
export type CommandTable = Readonly<Record<string, CommandDefinition>>;

export const OK: Buffer = Buffer.from('+OK\r\n');
export const NOT_INTEGER = 'ERR value is not an integer or out of range';
export const SYNTAX = 'ERR syntax error';

export function refuse(call: Call, error: string): false {
  call.out.error(error);
  return false;
}

export function wrongType(call: Call): false {
  return refuse(call, 'WRONGTYPE Operation against a key holding the wrong kind of value');
}

/** Reads as "this was done, and it is a reply". */
export function done(..._effects: unknown[]): true {
  return true;
}

/** Keys and members are bytes: latin1 keeps every one of them apart. */
export function word({ bytes, bounds }: Call, index: number): string {
  return bytes.toString('latin1', bounds[2 * index], bounds[2 * index + 1]);
}

export function text({ bytes, bounds }: Call, index: number): string {
  return bytes.toString('utf8', bounds[2 * index], bounds[2 * index + 1]);
}

/** The argument where it lies; it does not outlive the call. */
export function view({ bytes, bounds }: Call, index: number): Buffer {
  return bytes.subarray(bounds[2 * index], bounds[2 * index + 1]);
}

/** A whole number as Redis reads it; null: it is none, or past 2^53. */
export function integer(call: Call, index: number): number | null {
  return wholeNumber(word(call, index));
}

export function wholeNumber(written: string): number | null {
  if (!/^(0|-?[1-9]\d{0,15})$/.test(written)) return null;
  const value = Number(written);
  return Number.isSafeInteger(value) ? value : null;
}
