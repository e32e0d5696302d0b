import {
  type Action,
  INSERTS,
  type Operation,
  type Placeholder,
  parseCommandText,
  type Workload,
} from '@pacecar/protocol';

/** Operations that walk with the cursor of reads where keys are sequential; all others write. */
const READING: ReadonlySet<Operation> = new Set<Operation>([
  'get',
  'getAll',
  'getRange',
  'scan',
  'readRecord',
  'scanRecords',
  'command',
  'transaction',
]);
/** Operations on one key that write one value of the workload's sizes. */
const WRITING: ReadonlySet<Operation> = new Set<Operation>([
  'put',
  'add',
  'replace',
  'insert',
  'readModifyWrite',
]);

/** Numbers that `__score__` takes; the other random numbers of commands are below the number of keys. */
const SCORES = 10 ** 12;

/** What one action of a mix draws from its connection's streams for each operation. */
export interface ActionDraws {
  /** One key and at most one value, which is most of the load there is. */
  readonly isPlain: boolean;
  readonly reads: boolean;
  readonly inserts: boolean;
  readonly keys: number;
  readonly values: number;
  /** Of the fields of a record instead of the values. */
  readonly sizesOfFields: boolean;
  /** A field that is read, and one that is written. */
  readonly readsField: boolean;
  readonly writesField: boolean;
  /** Fields by name in a command. */
  readonly fields: number;
  /** For each random number of a command: it is below this. */
  readonly numbers: readonly number[];
  /** `items` is drawn from 1 to this; null: it is the number of keys. */
  readonly mostItems: number | null;
  /** `items` is always this. */
  readonly items: number;
}

const NOTHING: Omit<ActionDraws, 'reads' | 'inserts'> = {
  isPlain: true,
  keys: 1,
  values: 0,
  sizesOfFields: false,
  readsField: false,
  writesField: false,
  fields: 0,
  numbers: [],
  mostItems: null,
  items: 1,
};

/** Throws PacecarError REQUEST_INVALID for a command that cannot be read. */
export function drawsOf(action: Action, workload: Workload): ActionDraws {
  const { operation } = action;
  const base = { ...NOTHING, reads: READING.has(operation), inserts: INSERTS.has(operation) };
  const batch = action.batch ?? 1;
  switch (operation) {
    case 'getAll':
      return { ...base, isPlain: false, keys: batch, items: batch };
    case 'putAll':
      return { ...base, isPlain: false, keys: batch, values: batch, items: batch };
    case 'scan':
      return { ...base, isPlain: false, items: batch };
    case 'scanRecords':
      return { ...base, isPlain: false, readsField: true, mostItems: batch };
    case 'readRecord':
      return { ...base, isPlain: false, readsField: true };
    case 'updateRecord':
      return { ...base, ...written(workload), isPlain: false };
    case 'readModifyWriteRecord':
      return { ...base, ...written(workload), isPlain: false, readsField: true };
    case 'insertRecord':
      return { ...base, isPlain: false, values: workload.records?.fields ?? 1, sizesOfFields: true };
    case 'command':
      return { ...base, ...placeholders(action, workload), isPlain: false };
    case 'transaction': {
      // One key in all its commands, so that it stays on one slot of a cluster.
      const drawn = placeholders(action, workload);
      return { ...base, ...drawn, keys: Math.min(1, drawn.keys), isPlain: false };
    }
    default:
      return { ...base, values: WRITING.has(operation) ? 1 : 0 };
  }
}

function written({ records }: Workload): Pick<ActionDraws, 'values' | 'sizesOfFields' | 'writesField'> {
  const values = records?.writeAllFields === true ? records.fields : 1;
  return { values, sizesOfFields: true, writesField: true };
}

/** Every placeholder of every command of the action, in order, draws for itself. */
function placeholders(
  action: Action,
  { keys }: Workload,
): Pick<ActionDraws, 'keys' | 'values' | 'fields' | 'numbers'> {
  const seen: Record<Placeholder, number> = {
    key: 0,
    data: 0,
    field: 0,
    rand_int: 0,
    score: 0,
    member: 0,
    counter: 0,
  };
  const numbers: number[] = [];
  const belowKeys = Math.min(SCORES, keys.maximum - keys.minimum + 1);
  for (const text of action.commands)
    for (const part of parseCommandText(text).words.flat()) {
      if (part.kind === 'literal') continue;
      seen[part.placeholder]++;
      if (part.placeholder === 'score') numbers.push(SCORES);
      else if (part.placeholder === 'rand_int' || part.placeholder === 'member') numbers.push(belowKeys);
    }
  return { keys: seen.key, values: seen.data, fields: seen.field, numbers };
}
