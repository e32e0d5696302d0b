import {
  type Action,
  type CommandPart,
  type Keys,
  type Operation,
  parseCommandText,
  type Workload,
} from '@pacecar/protocol';
import { KeySlots, slotOf } from './hash-slot.js';

/** Where an action of a workload goes in a cluster. */
export type Route =
  /** To the node that has the key. `reads`: a replica of it will do. */
  | { readonly to: 'key'; readonly slots: KeySlots; readonly reads: boolean }
  /** To the node that has this slot. */
  | { readonly to: 'slot'; readonly slot: number }
  /** To one master after the other. */
  | { readonly to: 'masters' };

const READS: ReadonlySet<string> = new Set<Operation>(['get', 'getAll', 'getRange', 'readRecord']);

export function routeOf({ operation, commands }: Action, { keys }: Pick<Workload, 'keys'>): Route {
  if (operation === 'scan') return { to: 'masters' };
  const [slots] = commands.flatMap((command) => slotsIn(command, keys));
  if (operation === 'command' && slots === undefined)
    return { to: 'slot', slot: literalSlot(commands[0] ?? '') };
  return { to: 'key', slots: slots ?? new KeySlots(keys), reads: READS.has(operation) };
}

/** Why a cluster cannot take a workload, in words that say what to do; null: it can. */
export function clusterObjection({ keys, mix }: Workload): string | null {
  const pin = 'pin all keys to one slot by braces round a fixed part, such as key: "{user}:__n__"';
  for (const { name, operation, commands } of mix) {
    if (operation === 'insertRecord' || operation === 'scanRecords')
      return `${name}: the index of all records is one key, in another slot than the records; a cluster has no ${operation}`;
    if ((operation === 'getAll' || operation === 'putAll') && new KeySlots(keys).only === null)
      return `${name}: a cluster takes the keys of one ${operation} only from one slot; ${pin}`;
    const slots = commands.map((command) => slotsIn(command, keys));
    const [first, ...others] = slots.flat();
    if (operation === 'command' && others.some(({ only }) => only === null || only !== first?.only))
      return `${name}: a cluster takes the keys of one command only from one slot; ${pin}`;
    if (operation !== 'transaction') continue;
    const keyless = commands.find((_, index) => slots[index]?.length === 0);
    if (keyless !== undefined)
      return `${name}: a transaction in a cluster has the one key of its commands; ${JSON.stringify(keyless)} has no __key__`;
    if (others.some((other) => first !== undefined && !other.agrees(first, keys)))
      return `${name}: the keys of a transaction stand in one slot of a cluster; put braces round what they share, such as a:{__key__} and b:{__key__}`;
  }
  return null;
}

/** Of each word with a key in it. */
function slotsIn(command: string, keys: Keys): KeySlots[] {
  return parseCommandText(command).words.flatMap((word) => {
    const at = word.findIndex((part) => part.kind === 'placeholder' && part.placeholder === 'key');
    if (at === -1) return [];
    const prefix = literal(word.slice(0, at)) + keys.prefix;
    return [new KeySlots({ ...keys, prefix, suffix: keys.suffix + literal(word.slice(at + 1)) })];
  });
}

/** Of the first argument, which is the key of nearly every command; any node will do for the others. */
function literalSlot(command: string): number {
  const [, first = []] = parseCommandText(command).words;
  return slotOf(Buffer.from(literal(first)));
}

function literal(parts: readonly CommandPart[]): string {
  return parts.map((part) => (part.kind === 'literal' ? Buffer.from(part.bytes).toString() : '')).join('');
}
