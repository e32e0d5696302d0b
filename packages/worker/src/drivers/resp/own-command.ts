import {
  type Action,
  type CommandText,
  PacecarError,
  parseCommandText,
  type Workload,
} from '@pacecar/protocol';
import { type ReplyRule, replyRule } from '../../engine/reply-shape.js';

/** A command that the scenario wrote, and how hits and misses are read off its reply. */
export interface OwnCommand {
  readonly text: CommandText;
  readonly rule: ReplyRule;
}

/** The one of an action `command`. Throws PacecarError REQUEST_INVALID for what cannot be sent. */
export function ownCommandOf(action: Action): OwnCommand {
  const [text] = action.commands;
  if (text === undefined || action.commands.length > 1)
    throw new PacecarError(
      'REQUEST_INVALID',
      `the action ${action.name} (command) needs exactly one command`,
    );
  return checked(action, text);
}

/** Those of an action `transaction`, without MULTI and EXEC. Throws PacecarError REQUEST_INVALID. */
export function transactionOf(action: Action): readonly OwnCommand[] {
  if (action.commands.length === 0)
    throw new PacecarError('REQUEST_INVALID', `the action ${action.name} (transaction) needs commands`);
  return action.commands.map((text) => checked(action, text));
}

/** What the records of a workload are like. Throws PacecarError REQUEST_INVALID if it has none. */
export function recordsOf({ records, name }: Workload): NonNullable<Workload['records']> {
  if (records === null)
    throw new PacecarError(
      'REQUEST_INVALID',
      `the workload ${name} has operations on records but no records`,
    );
  return records;
}

/** Commands after which replies no longer match commands one by one, or which end the connection. */
const UNANSWERED = new Set([
  ...['SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'UNSUBSCRIBE', 'PUNSUBSCRIBE', 'SUNSUBSCRIBE', 'MONITOR'],
  ...['SYNC', 'PSYNC', 'QUIT', 'MULTI', 'EXEC', 'DISCARD', 'RESET', 'SHUTDOWN'],
]);

function checked(action: Action, written: string): OwnCommand {
  const text = parseCommandText(written);
  const words = wordsOf(text);
  const silenced = text.name === 'CLIENT' && words[1]?.toUpperCase() === 'REPLY';
  if (UNANSWERED.has(text.name) || silenced)
    throw new PacecarError(
      'REQUEST_INVALID',
      `the action ${action.name} cannot send ${text.name}: it has not one reply for each command; ` +
        'for MULTI and EXEC use the operation transaction',
    );
  return { text, rule: replyRule(words) };
}

/** The words of a command, with something in the place of what is drawn. */
function wordsOf({ words }: CommandText): string[] {
  return words.map((word) =>
    word.map((part) => (part.kind === 'literal' ? Buffer.from(part.bytes).toString('latin1') : '_')).join(''),
  );
}
