import {
  type Action,
  CAN_MISS,
  type CommandPart,
  type CommandText,
  PacecarError,
  type Placeholder,
  type Workload,
} from '@pacecar/protocol';
import { CommandTemplate, type PlaceholderWidths } from '../../engine/command-template.js';
import { largestKey } from '../../engine/inserted-keys.js';
import type { ReplyRule } from '../../engine/reply-shape.js';
import { Command } from './command-buffer.js';
import { CommandFiller, commandRole, type FillerRole, noOccurrences, ROLES } from './command-filler.js';
import { digitsOf } from '../wire/command-shape.js';
import { INDEX_KEY, IndexFiller } from './index-text.js';
import { InlineTemplate } from './inline-template.js';
import { keyCommand } from './key-command.js';
import { ownCommandOf, recordsOf, transactionOf } from './own-command.js';
import { CursorFiller } from './scan-cursors.js';

/** Which bytes of a reply matter: values, or those of records that were asked for or that the step before found. */
type Contents =
  | 'none'
  | 'value'
  | 'part'
  | 'values'
  | 'fields'
  | 'field'
  | 'found fields'
  | 'found field'
  | 'cursor'
  | 'keys';

/** How one reply is read. */
export interface Answer {
  /** A reply with a value up to this is a miss; null: `rule` says what is. */
  readonly missUpTo: number | null;
  readonly rule: ReplyRule;
  /** Of the replies inside the one of EXEC; null: of no other. */
  readonly inside: readonly ReplyRule[] | null;
  readonly contents: Contents;
  /** The part of a value that it is. */
  readonly range: Action['range'];
}

/** Commands that are sent together, and how each of their replies is read. */
export interface Step {
  readonly commands: readonly Command[];
  readonly answers: readonly Answer[];
}

/** A read of one record: what stands before its key, with the key's length between, and behind it. */
export interface ScannedReads {
  readonly head: Buffer;
  /** By field; only one if all fields are read. */
  readonly tails: readonly Buffer[];
}

/** What an action says, in one step or in two of which the second waits for the replies to the first. */
export interface Script {
  readonly first: Step;
  readonly second: Step | null;
  /** The second step reads each record whose key the first one's reply has. */
  readonly reads: ScannedReads | null;
  /** It hits or misses as a whole; else by item. */
  readonly canMiss: boolean;
}

const SILENT: Answer = { missUpTo: null, rule: 'silent', inside: null, contents: 'none', range: null };
const KEY = slot('key');
const DATA = slot('data');
const FIELD = slot('field');

/** Throws PacecarError REQUEST_INVALID for an action that lacks something. */
export function scriptOf(action: Action, workload: Workload): Script {
  const canMiss = CAN_MISS.has(action.operation);
  const script = (first: Step, rest: Partial<Script> = {}): Script => ({
    ...{ first, second: null, reads: null, canMiss },
    ...rest,
  });
  const writer = new CommandWriter(workload);
  const checked = (contents: Answer['contents']) => (workload.checkValues ? contents : 'none');
  const batch = action.batch ?? 1;
  const put = () => step(writer.command(['SET', KEY, DATA], ROLES.one), SILENT);
  switch (action.operation) {
    case 'getAll':
      return script(
        step(writer.command(['MGET', ...repeated(batch, KEY)], ROLES.batch), {
          ...{ ...SILENT, rule: 'elements', contents: checked('values') },
        }),
      );
    case 'putAll':
      return script(step(writer.command(['MSET', ...repeated(batch, KEY, DATA)], ROLES.batch), SILENT));
    case 'scan':
      return script(
        step(writer.cursor(['SCAN', DATA, 'COUNT', String(batch)]), { ...SILENT, contents: 'cursor' }),
      );
    case 'readModifyWrite':
      return script(
        step(writer.command(['GET', KEY], ROLES.one), {
          ...{ ...SILENT, missUpTo: -1, contents: checked('value') },
        }),
        { second: put() },
      );
    case 'readRecord':
      return script(readRecord(writer, workload));
    case 'updateRecord':
      return script(updateRecord(writer, workload));
    case 'insertRecord':
      return script(insertRecord(writer, workload));
    case 'readModifyWriteRecord':
      return script(readRecord(writer, workload), { second: updateRecord(writer, workload) });
    case 'scanRecords': {
      const range = writer.index(['ZRANGEBYSCORE', INDEX_KEY, FIELD, '+inf', 'LIMIT', '0', DATA]);
      return script(step(range, { ...SILENT, contents: 'keys' }), scannedReads(workload));
    }
    case 'command':
      return script(ownCommand(writer, action));
    case 'transaction':
      return script(transaction(writer, action));
    default: {
      const said = keyCommand(action, workload);
      if (said === null) throw new PacecarError('UNSUPPORTED', `this driver has no ${action.operation}`);
      const value = said.hasValue ? [DATA] : [];
      const words = [said.name, KEY, ...value, ...said.after.map((bytes) => [literal(bytes)])];
      const { operation, range } = action;
      const contents =
        operation === 'get' ? checked('value') : operation === 'getRange' ? checked('part') : 'none';
      const { missUpTo } = said;
      return script(step(writer.command(words, ROLES.one), { ...SILENT, missUpTo, contents, range }));
    }
  }
}

function step(command: Command, answer: Answer): Step {
  return { commands: [command], answers: [answer] };
}

function readRecord(writer: CommandWriter, workload: Workload): Step {
  const contents = (kind: Answer['contents']) => (workload.checkValues ? kind : 'none');
  if (recordsOf(workload).readAllFields)
    return step(writer.command(['HGETALL', KEY], ROLES.readField), {
      ...{ ...SILENT, missUpTo: 0, contents: contents('fields') },
    });
  return step(writer.command(['HMGET', KEY, FIELD], ROLES.readField), {
    ...{ ...SILENT, rule: 'any', contents: contents('field') },
  });
}

function updateRecord(writer: CommandWriter, workload: Workload): Step {
  const records = recordsOf(workload);
  if (records.writeAllFields)
    return step(writer.command(['HSET', KEY, ...allFields(records.fields)], ROLES.writtenFields), SILENT);
  return step(writer.command(['HSET', KEY, FIELD, DATA], ROLES.writtenFields), SILENT);
}

function insertRecord(writer: CommandWriter, workload: Workload): Step {
  const fields = allFields(recordsOf(workload).fields);
  const write = writer.command(['HSET', KEY, ...fields], ROLES.newFields);
  const index = writer.index(['ZADD', INDEX_KEY, FIELD, KEY]);
  return { commands: [write, index], answers: [SILENT, SILENT] };
}

function scannedReads(workload: Workload): Pick<Script, 'reads' | 'second'> {
  const { readAllFields, fields } = recordsOf(workload);
  const read = readAllFields
    ? ({ rule: 'whole', contents: 'found fields' } as const)
    : ({ rule: 'any', contents: 'found field' } as const);
  const answer: Answer = { ...SILENT, ...read, ...(workload.checkValues ? {} : { contents: 'none' }) };
  const second = { commands: [], answers: [answer] };
  if (readAllFields)
    return { reads: { head: Buffer.from('*2\r\n$7\r\nHGETALL\r\n$'), tails: [Buffer.from('\r\n')] }, second };
  const tails = Array.from({ length: fields }, (_, field) => {
    const name = `field${field}`;
    return Buffer.from(`\r\n$${name.length}\r\n${name}\r\n`);
  });
  return { reads: { head: Buffer.from('*3\r\n$5\r\nHMGET\r\n$'), tails }, second };
}

function ownCommand(writer: CommandWriter, action: Action): Step {
  const { text, rule } = ownCommandOf(action);
  const made = writer.own(text, { isInline: action.inline, pinned: false });
  return step(made, { ...SILENT, rule });
}

/** All in one go; its keys are one key, so that it stays on one slot of a cluster. */
function transaction(writer: CommandWriter, action: Action): Step {
  const own = transactionOf(action);
  const commands = own.map(({ text }) => writer.own(text, { isInline: false, pinned: true }));
  const inside = own.map(({ rule }) => rule);
  return {
    commands: [writer.command(['MULTI'], ROLES.one), ...commands, writer.command(['EXEC'], ROLES.one)],
    answers: [SILENT, ...commands.map(() => SILENT), { ...SILENT, inside }],
  };
}

function allFields(count: number): (string | readonly CommandPart[])[] {
  return Array.from({ length: count }, (_, index) => [`field${index}`, DATA]).flat();
}

function repeated(times: number, ...words: readonly (readonly CommandPart[])[]): (readonly CommandPart[])[] {
  return Array.from({ length: times }, () => words).flat();
}

function slot(placeholder: Placeholder): readonly CommandPart[] {
  return [{ kind: 'placeholder', placeholder }];
}

function literal(bytes: Uint8Array): CommandPart {
  return { kind: 'literal', bytes };
}

/** Makes the commands of one action. */
class CommandWriter {
  readonly #workload: Workload;
  readonly #occurrences = noOccurrences();

  constructor(workload: Workload) {
    this.#workload = workload;
  }

  command(words: readonly (string | readonly CommandPart[])[], role: FillerRole): Command {
    const ofFields = role === ROLES.writtenFields || role === ROLES.newFields;
    const template = new CommandTemplate(textOf(words), widthsOf(this.#workload, ofFields));
    return new Command(template, new CommandFiller(this.#workload, role));
  }

  index(words: readonly (string | readonly CommandPart[])[]): Command {
    const template = new CommandTemplate(textOf(words), { key: null, data: null, field: null });
    return new Command(template, new IndexFiller(this.#workload.keys));
  }

  cursor(words: readonly (string | readonly CommandPart[])[]): Command {
    const template = new CommandTemplate(textOf(words), { key: null, data: null, field: null });
    return new Command(template, new CursorFiller());
  }

  own(text: CommandText, { isInline, pinned }: { isInline: boolean; pinned: boolean }): Command {
    const widths = widthsOf(this.#workload, false);
    if (isInline) this.#checkInline(text);
    const template = isInline ? new InlineTemplate(text, widths) : new CommandTemplate(text, widths);
    const role = commandRole(template.slots, this.#occurrences, { pinned });
    return new Command(template, new CommandFiller(this.#workload, role));
  }

  #checkInline({ name, words }: CommandText): void {
    const { keys, values } = this.#workload;
    const has = (placeholder: Placeholder) =>
      words.flat().some((part) => part.kind === 'placeholder' && part.placeholder === placeholder);
    const badKey = has('key') && !/^[!#-&(-[\]-~]*$/.test(keys.prefix + keys.suffix);
    const badData = has('data') && values.content.kind !== 'printable';
    if (!badKey && !badData) return;
    const what = badKey ? 'keys with blanks, quotes or other than ASCII' : `${values.content.kind} values`;
    throw new PacecarError(
      'REQUEST_INVALID',
      `the inline command ${name} cannot hold ${what}; send it as an array (without inline)`,
    );
  }
}

function textOf(words: readonly (string | readonly CommandPart[])[]): CommandText {
  const [name] = words;
  return {
    name: typeof name === 'string' ? name : '',
    words: words.map((word) => (typeof word === 'string' ? [literal(Buffer.from(word))] : word)),
  };
}

function widthsOf(workload: Workload, ofFields: boolean): PlaceholderWidths {
  const { keys, values, records } = workload;
  const largest = largestKey(workload);
  const digits =
    keys.order === 'numeric' && digitsOf(keys.minimum, keys.width) === digitsOf(largest, keys.width)
      ? digitsOf(keys.minimum, keys.width)
      : null;
  const size = ofFields ? (records?.fieldSize ?? values.size) : values.size;
  return {
    key: digits === null ? null : Buffer.byteLength(keys.prefix + keys.suffix) + digits,
    data: size.kind === 'fixed' ? size.bytes : null,
    field: (records?.fields ?? 1) <= 10 ? 'field0'.length : null,
  };
}
