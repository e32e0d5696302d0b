import {
  type Action,
  CommandTextInvalid,
  LIMITS,
  NameSchema,
  OPERATIONS,
  type Operation,
  parseCommandText,
  plainAction,
} from '@pacecar/protocol';
import { z } from 'zod';
import { under } from '../findings.js';
import { shown } from '../quantity/decimal.js';
import { entry, type Fields, type Reader } from '../reader.js';
import { isNothing, type SourceMapping, type SourceNode } from '../source-tree.js';
import { CommandFileShape, CommandTextSchema, PARAMETER_SHAPE, PARAMETERS, SHARE } from '../written/mix.js';
import type { Mix } from './layer.js';
import type { Share } from './share-sum.js';

/** An action as it is written; its weight is in `share` as well, with its unit. */
export interface WrittenAction {
  readonly action: Action;
  readonly share: Share;
  /** Whether somebody wrote its name. */
  readonly given: boolean;
  readonly path: string;
}

type Told = { readonly weight?: Share } & Fields<typeof PARAMETER_SHAPE>;

/** Stands for a value that is read apart from the fields beside it. */
const APART = z.union([z.string(), z.string()]).optional();
const DEFAULT_BATCH = 10;
/** The longest scan of YCSB. */
const DEFAULT_RECORDS = 100;
const MOST_COMMANDS = 100;

/** `get: 80` or `putAll: { weight: 5, batch: 10 }`. */
export function readMapped(
  operation: Operation,
  value: SourceNode,
  path: string,
  mode: Mix['mode'],
  reader: Reader,
): WrittenAction | null {
  reader.findings.place(path, value.at);
  if (value.kind === 'mapping')
    return makeAction(
      {
        operation,
        told: reader.fields(shapeOf(operation, mode), value, path) as Told,
        written: keysOf(value),
        commands: [],
      },
      path,
      reader,
    );
  const share = reader.leaf(SHARE[mode], value, path);
  if (share === undefined) return null;
  return makeAction({ operation, told: { weight: share }, written: [], commands: [] }, path, reader);
}

/** `{ command: "GET __key__", weight: 5, name: lookup }`; what an operation is told may stand inside it or beside it. */
export function readListed(
  item: SourceMapping,
  path: string,
  mode: Mix['mode'],
  reader: Reader,
): WrittenAction | null {
  const operations = item.entries.filter(({ key }) => OPERATIONS.some((operation) => operation === key));
  const [first, second] = operations;
  if (first === undefined) {
    const words = [...OPERATIONS, 'weight', ...Object.keys(PARAMETER_SHAPE)];
    reader.known(words, item, path);
    if (item.entries.every(({ key }) => words.includes(key)))
      reader.findings.at(item.at, path, `names no operation; allowed: ${OPERATIONS.join(', ')}`);
    return null;
  }
  if (second !== undefined) {
    reader.findings.at(
      second.keyAt,
      under(path, second.key),
      `two operations in one entry, ${first.key} and ${second.key}; begin each with a dash of its own`,
    );
    return null;
  }
  const operation = first.key as Operation;
  const place = under(path, operation);
  reader.findings.place(place, first.value.at);
  const beside = reader.fields({ [operation]: APART, ...shapeOf(operation, mode) }, item, path) as Told;
  if (operation === 'command' || operation === 'transaction') {
    const commands = readCommands(operation, first.value, place, reader);
    if (commands === null) return null;
    return makeAction({ operation, told: beside, written: keysOf(item), commands }, path, reader);
  }
  const inside: Told =
    first.value.kind === 'mapping'
      ? (reader.fields(shapeOf(operation, mode), first.value, place) as Told)
      : isNothing(first.value)
        ? {}
        : withWeight(reader.leaf(SHARE[mode], first.value, place));
  for (const key of Object.keys(inside))
    if (entry(item, key) !== undefined)
      reader.findings.of(
        under(path, key),
        `${key} stands beside ${operation} and inside it; keep one of them`,
      );
  const written = [...keysOf(item), ...keysOf(first.value)];
  return makeAction({ operation, told: { ...beside, ...inside }, written, commands: [] }, path, reader);
}

const keysOf = (node: SourceNode): string[] =>
  node.kind === 'mapping' ? node.entries.map(({ key }) => key) : [];
const withWeight = (weight: Share | undefined): Told => (weight === undefined ? {} : { weight });

function shapeOf(operation: Operation, mode: Mix['mode']): z.ZodRawShape {
  return {
    weight: SHARE[mode].optional(),
    name: PARAMETER_SHAPE.name,
    ...Object.fromEntries(PARAMETERS[operation].map((parameter) => [parameter, PARAMETER_SHAPE[parameter]])),
  };
}

function readCommands(
  operation: 'command' | 'transaction',
  node: SourceNode,
  path: string,
  reader: Reader,
): readonly string[] | null {
  if (operation === 'command') {
    const text = readCommand(node, path, reader);
    return text === null ? null : [text];
  }
  const items = reader.list(node, path, 'commands such as ["INCR __key__", "EXPIRE __key__ 60"]');
  if (node.kind === 'list' && items.length === 0) reader.findings.of(path, 'has no command');
  if (items.length > MOST_COMMANDS)
    reader.findings.of(path, `has ${items.length} commands; allowed: at most ${MOST_COMMANDS}`);
  const texts = items.map((item, index) => readCommand(item, under(path, index), reader));
  return texts.length === 0 || texts.includes(null) ? null : (texts as string[]);
}

function readCommand(node: SourceNode, path: string, reader: Reader): string | null {
  const text =
    node.kind === 'mapping'
      ? readCommandFile(node, path, reader)
      : reader.leaf(CommandTextSchema, node, path);
  if (text === undefined) return null;
  try {
    parseCommandText(text);
    return text;
  } catch (thrown) {
    if (!(thrown instanceof CommandTextInvalid)) throw thrown;
    reader.findings.at(node.at, path, thrown.message);
    return null;
  }
}

/** `{ file: big.txt }`: the line end at the end of a file belongs to the file. */
function readCommandFile(node: SourceMapping, path: string, reader: Reader): string | undefined {
  const { file } = reader.fields(CommandFileShape, node, path);
  if (file === undefined) return undefined;
  const place = under(path, 'file');
  const text = reader.file(file);
  if (text === null) {
    reader.findings.of(place, `the file ${shown(file)} cannot be read; its path is relative to the scenario`);
    return undefined;
  }
  const read = CommandTextSchema.safeParse(text.replace(/\r?\n$/, ''));
  if (read.success) return read.data;
  reader.findings.of(place, `${file}: ${read.error.issues.map(({ message }) => message).join('; ')}`);
  return undefined;
}

/** What is written of one action. */
interface ActionSource {
  readonly operation: Operation;
  readonly told: Told;
  /** Keys that are written, also those that could not be read. */
  readonly written: readonly string[];
  readonly commands: readonly string[];
}

function makeAction(
  { operation, told, written, commands }: ActionSource,
  path: string,
  reader: Reader,
): WrittenAction {
  const share = told.weight ?? { weight: 1, percent: false };
  const parameters = PARAMETERS[operation];
  if (operation === 'expire' && !written.includes('timeToLive'))
    reader.findings.of(
      path,
      'expire does not say when: write for example `expire: { weight: 1, timeToLive: 10s }`',
    );
  if (parameters.includes('length') && !written.includes('length'))
    reader.findings.of(
      path,
      `${operation} does not say how much: write for example \`${operation}: { weight: 1, offset: 0, length: 50 }\``,
    );
  return {
    action: {
      ...plainAction(operation, share.weight),
      name: told.name ?? defaultName(operation, commands),
      batch: parameters.includes('batch')
        ? (told.batch ?? (operation === 'scanRecords' ? DEFAULT_RECORDS : DEFAULT_BATCH))
        : null,
      timeToLiveMs: told.timeToLive ?? null,
      range: parameters.includes('length')
        ? { offsetBytes: told.offset ?? 0, lengthBytes: told.length ?? 1 }
        : null,
      commands,
      inline: told.inline ?? false,
    },
    share,
    given: told.name !== undefined,
    path,
  };
}

function defaultName(operation: Operation, commands: readonly string[]): string {
  const [first] = commands;
  if (operation !== 'command' || first === undefined) return operation;
  // Room is left for a number behind it.
  const name = parseCommandText(first).name.slice(0, LIMITS.nameLength - 4);
  return NameSchema.safeParse(name).success ? name : operation;
}
