import { type Action, type Operation, PacecarError, type Workload } from '@pacecar/protocol';
import { type SharedText, sharedText } from '../../engine/shared-text.js';
import { MARK_BYTES, writeShared } from '../../engine/value-source.js';

/** A command on one key: its name, the key, the value if it has one, and words that are always the same. */
export interface KeyCommand {
  readonly name: string;
  readonly hasValue: boolean;
  readonly after: readonly Buffer[];
  /** An answer with a value up to this is a miss: nil is -1. */
  readonly missUpTo: number;
}

/** Those that `keyCommand` knows. */
export const KEY_OPERATIONS = [
  'get',
  'put',
  'add',
  'replace',
  'insert',
  'delete',
  'increment',
  'expire',
  'getRange',
  'putRange',
] as const satisfies readonly Operation[];

const NEVER = Number.NEGATIVE_INFINITY;
const NIL = -1;

/**
 * How an action on one key is said; null if it takes more than one command or more than one key. Throws PacecarError
 * REQUEST_INVALID if it lacks what it needs.
 */
export function keyCommand(action: Action, { values }: Pick<Workload, 'values'>): KeyCommand | null {
  const lifetime = action.timeToLiveMs === null ? [] : ['PX', String(action.timeToLiveMs)];
  switch (action.operation) {
    case 'get':
      return command('GET', { missUpTo: NIL });
    case 'put':
    case 'insert':
      return command('SET', { hasValue: true, after: words(lifetime) });
    case 'add':
      return command('SET', { hasValue: true, after: words(['NX', ...lifetime]), missUpTo: NIL });
    case 'replace':
      return command('SET', { hasValue: true, after: words(['XX', ...lifetime]), missUpTo: NIL });
    case 'delete':
      return command('DEL', { missUpTo: 0 });
    case 'increment':
      return command('INCR', {});
    case 'expire':
      if (action.timeToLiveMs === null) throw lacks(action, 'a time to live');
      return command('PEXPIRE', { after: words([String(action.timeToLiveMs)]), missUpTo: 0 });
    case 'getRange': {
      const { offsetBytes, lengthBytes } = rangeOf(action);
      // The length of an absent key's part is 0, as that of a part past the end is: nothing was there to read.
      return command('GETRANGE', {
        after: words([String(offsetBytes), String(offsetBytes + lengthBytes - 1)]),
        missUpTo: 0,
      });
    }
    case 'putRange': {
      const { offsetBytes, lengthBytes } = rangeOf(action);
      const part = partOfValue(sharedText(values.content), offsetBytes, lengthBytes);
      return command('SETRANGE', { after: [...words([String(offsetBytes)]), part] });
    }
    default:
      return null;
  }
}

function command(name: string, rest: Partial<KeyCommand>): KeyCommand {
  return { name, hasValue: false, after: [], missUpTo: NEVER, ...rest };
}

function words(texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

function rangeOf(action: Action): { offsetBytes: number; lengthBytes: number } {
  const { range } = action;
  if (range === null || range.lengthBytes === 0) throw lacks(action, 'a range of at least 1 byte');
  return range;
}

/**
 * What stands at `offset` of every value, so that values can be checked after it was written; but the first 8 bytes,
 * a value's mark, are the key's own, and a range over them leaves a value that no check finds right.
 */
function partOfValue(text: SharedText, offset: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  writeShared(part, 0, Math.max(offset, MARK_BYTES), length, text);
  return part;
}

function lacks({ name, operation }: Action, what: string): PacecarError {
  return new PacecarError('REQUEST_INVALID', `the action ${name} (${operation}) needs ${what}`);
}
