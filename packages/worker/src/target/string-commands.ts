import {
  type Call,
  type CommandTable,
  done,
  integer,
  NOT_INTEGER,
  OK,
  refuse,
  SYNTAX,
  text,
  view,
  wholeNumber,
  word,
  wrongType,
} from './call.js';
import { asReply, valueOf } from './database.js';
import { endAfter, MS_PER_UNIT } from './expiry-commands.js';

/** As Redis has it: proto-max-bulk-len. */
const LONGEST = 512 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export const STRING_COMMANDS: CommandTable = {
  get: { arity: 2, run: get },
  set: { arity: -3, run: set },
  setnx: { arity: 3, run: setnx },
  mget: { arity: -2, run: mget },
  mset: { arity: -3, run: mset },
  append: { arity: 3, run: append },
  strlen: { arity: 2, run: strlen },
  getrange: { arity: 4, run: getrange },
  setrange: { arity: 4, run: setrange },
  incr: { arity: 2, run: (call) => increment(call, 1) },
  decr: { arity: 2, run: (call) => increment(call, -1) },
  incrby: { arity: 3, run: (call) => incrementBy(call, 1) },
  decrby: { arity: 3, run: (call) => incrementBy(call, -1) },
};

/** The string under a key: `undefined` if there is none, `null` if it is something else. */
function stringAt(call: Call, index: number): Buffer | undefined | null {
  const stored = call.session.database.get(word(call, index));
  return stored === undefined || stored instanceof Buffer ? stored : null;
}

/** The same, counted as a read. */
function readString(call: Call, index: number): Buffer | undefined | null {
  const stored = stringAt(call, index);
  if (stored === undefined) call.statistics.misses++;
  else call.statistics.hits++;
  return stored;
}

function get(call: Call): boolean {
  const stored = readString(call, 1);
  if (stored === null) return wrongType(call);
  if (stored === undefined) call.out.nothing();
  else call.out.raw(stored);
  return true;
}

function set(call: Call): boolean {
  const { database } = call.session;
  const key = word(call, 1);
  if (call.argumentCount === 3) {
    database.replace(key, asReply(view(call, 2)), null);
    return done(call.out.raw(OK));
  }
  const options = setOptions(call);
  if (typeof options === 'string') return refuse(call, options);
  const before = database.get(key);
  if (options.returnsOld) {
    if (before === undefined) call.statistics.misses++;
    else call.statistics.hits++;
    if (before !== undefined && !(before instanceof Buffer)) return wrongType(call);
  }
  const writes = options.condition === null || (options.condition === 'xx') === (before !== undefined);
  if (writes) {
    const endMs = options.keepsEnd ? database.endOf(key) : options.endMs;
    database.replace(key, asReply(view(call, 2)), endMs);
  }
  if (options.returnsOld)
    return done(before === undefined ? call.out.nothing() : call.out.raw(before as Buffer));
  return done(writes ? call.out.raw(OK) : call.out.nothing());
}

interface SetOptions {
  readonly condition: 'nx' | 'xx' | null;
  readonly endMs: number | null;
  readonly keepsEnd: boolean;
  readonly returnsOld: boolean;
}

/** What stands behind SET key value, or the error. */
function setOptions(call: Call): SetOptions | string {
  let condition: SetOptions['condition'] = null;
  let endMs: number | null = null;
  let keepsEnd = false;
  let returnsOld = false;
  for (let index = 3; index < call.argumentCount; index++) {
    const option = text(call, index).toLowerCase();
    if ((option === 'nx' || option === 'xx') && condition === null) {
      condition = option;
    } else if (option === 'get') {
      returnsOld = true;
    } else if (option === 'keepttl' && endMs === null) {
      keepsEnd = true;
    } else if (Object.hasOwn(MS_PER_UNIT, option) && endMs === null && !keepsEnd) {
      if (++index === call.argumentCount) return SYNTAX;
      const amount = integer(call, index);
      if (amount === null) return NOT_INTEGER;
      if (amount <= 0) return "ERR invalid expire time in 'set' command";
      endMs = endAfter(amount, option);
    } else {
      return SYNTAX;
    }
  }
  return { condition, endMs, keepsEnd, returnsOld };
}

function setnx(call: Call): boolean {
  const { database } = call.session;
  const key = word(call, 1);
  if (database.has(key)) return done(call.out.integer(0));
  database.replace(key, asReply(view(call, 2)), null);
  return done(call.out.integer(1));
}

function mget(call: Call): boolean {
  call.out.array(call.argumentCount - 1);
  for (let index = 1; index < call.argumentCount; index++) {
    const stored = readString(call, index);
    // Something else than a string is nothing to MGET, though it was found.
    if (stored === undefined || stored === null) call.out.nothing();
    else call.out.raw(stored);
  }
  return true;
}

function mset(call: Call): boolean {
  if (call.argumentCount % 2 === 0) return refuse(call, "ERR wrong number of arguments for 'mset' command");
  for (let index = 1; index < call.argumentCount; index += 2)
    call.session.database.replace(word(call, index), asReply(view(call, index + 1)), null);
  return done(call.out.raw(OK));
}

function append(call: Call): boolean {
  const stored = stringAt(call, 1);
  if (stored === null) return wrongType(call);
  const value = Buffer.concat([stored === undefined ? EMPTY : valueOf(stored), view(call, 2)]);
  call.session.database.set(word(call, 1), asReply(value));
  return done(call.out.integer(value.length));
}

function strlen(call: Call): boolean {
  const stored = readString(call, 1);
  if (stored === null) return wrongType(call);
  return done(call.out.integer(stored === undefined ? 0 : valueOf(stored).length));
}

function getrange(call: Call): boolean {
  const first = integer(call, 2);
  const last = integer(call, 3);
  if (first === null || last === null) return refuse(call, NOT_INTEGER);
  const stored = readString(call, 1);
  if (stored === null) return wrongType(call);
  const value = stored === undefined ? EMPTY : valueOf(stored);
  const { start, end } = placesOf(first, last, value.length);
  return done(call.out.bytes(value.subarray(start, end)));
}

/** Places of a range whose ends count from the end where they are negative, both inclusive. */
export function placesOf(first: number, last: number, length: number): { start: number; end: number } {
  const start = Math.max(0, first < 0 ? length + first : first);
  const end = Math.min(length, (last < 0 ? length + last : last) + 1);
  return start < end ? { start, end } : { start: 0, end: 0 };
}

function setrange(call: Call): boolean {
  const offset = integer(call, 2);
  if (offset === null) return refuse(call, NOT_INTEGER);
  if (offset < 0) return refuse(call, 'ERR offset is out of range');
  const stored = stringAt(call, 1);
  if (stored === null) return wrongType(call);
  const before = stored === undefined ? EMPTY : valueOf(stored);
  const part = view(call, 3);
  if (part.length === 0) return done(call.out.integer(before.length));
  if (offset + part.length > LONGEST)
    return refuse(call, 'ERR string exceeds maximum allowed size (proto-max-bulk-len)');
  const value = Buffer.alloc(Math.max(before.length, offset + part.length));
  before.copy(value);
  part.copy(value, offset);
  call.session.database.set(word(call, 1), asReply(value));
  return done(call.out.integer(value.length));
}

function incrementBy(call: Call, sign: number): boolean {
  const amount = integer(call, 2);
  return amount === null ? refuse(call, NOT_INTEGER) : increment(call, sign * amount);
}

function increment(call: Call, amount: number): boolean {
  const stored = stringAt(call, 1);
  if (stored === null) return wrongType(call);
  const value = stored === undefined ? 0 : wholeNumber(valueOf(stored).toString('latin1'));
  if (value === null || !Number.isSafeInteger(value + amount)) return refuse(call, NOT_INTEGER);
  call.session.database.set(word(call, 1), asReply(Buffer.from(String(value + amount), 'latin1')));
  return done(call.out.integer(value + amount));
}
