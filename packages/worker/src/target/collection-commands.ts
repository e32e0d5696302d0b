import {
  type Call,
  type CommandTable,
  done,
  integer,
  NOT_INTEGER,
  refuse,
  SYNTAX,
  text,
  view,
  word,
  wrongType,
} from './call.js';
import { asReply, type Stored } from './database.js';
import { Deque } from './deque.js';
import { EntryLog } from './entry-log.js';
import { IndexedSet } from './indexed-set.js';
import { placesOf } from './string-commands.js';

export const COLLECTION_COMMANDS: CommandTable = {
  lpush: { arity: -3, run: (call) => push(call, (list, value) => list.pushFirst(value)) },
  rpush: { arity: -3, run: (call) => push(call, (list, value) => list.pushLast(value)) },
  lpop: { arity: -2, run: (call) => pop(call, (list) => list.popFirst()) },
  rpop: { arity: -2, run: (call) => pop(call, (list) => list.popLast()) },
  lrange: { arity: 4, run: lrange },
  llen: { arity: 2, run: (call) => size(call, isList, (list) => list.length) },
  sadd: { arity: -3, run: sadd },
  spop: { arity: 2, run: spop },
  smembers: { arity: 2, run: smembers },
  scard: { arity: 2, run: (call) => size(call, isSet, (set) => set.size) },
  hset: { arity: -4, run: (call) => hset(call, (added) => call.out.integer(added)) },
  hmset: { arity: -4, run: (call) => hset(call, () => call.out.simple('OK')) },
  hget: { arity: 3, run: hget },
  hmget: { arity: -3, run: hmget },
  hgetall: { arity: 2, run: hgetall },
  hlen: { arity: 2, run: (call) => size(call, isHash, (hash) => hash.size) },
  xadd: { arity: -5, run: xadd },
  xlen: { arity: 2, run: (call) => size(call, isLog, (log) => log.length) },
};

type Is<T extends Stored> = (stored: Stored) => stored is T;
const isList: Is<Deque<Buffer>> = (stored) => stored instanceof Deque;
const isSet: Is<IndexedSet> = (stored) => stored instanceof IndexedSet;
const isHash: Is<Map<string, Buffer>> = (stored) => stored instanceof Map;
const isLog: Is<EntryLog> = (stored) => stored instanceof EntryLog;

/** What stands under the key of the call: `undefined` if nothing, `null` if something of another type. */
export function collection<T extends Stored>(call: Call, is: Is<T>): T | undefined | null {
  const stored = call.session.database.get(word(call, 1));
  if (stored === undefined) return undefined;
  return is(stored) ? stored : null;
}

/** The same, counted as a read. */
export function readCollection<T extends Stored>(call: Call, is: Is<T>): T | undefined | null {
  const stored = collection(call, is);
  if (stored === undefined) call.statistics.misses++;
  else call.statistics.hits++;
  return stored;
}

/** The one that is there, or a new one under the key; null: something of another type is there. */
export function ownCollection<T extends Stored>(call: Call, is: Is<T>, make: () => T): T | null {
  const stored = collection(call, is);
  if (stored !== undefined) return stored;
  const made = make();
  call.session.database.set(word(call, 1), made);
  return made;
}

export function size<T extends Stored>(call: Call, is: Is<T>, of: (stored: T) => number): boolean {
  const stored = readCollection(call, is);
  if (stored === null) return wrongType(call);
  return done(call.out.integer(stored === undefined ? 0 : of(stored)));
}

/** No collection is ever empty. */
export function dropEmpty(call: Call, left: number): void {
  if (left === 0) call.session.database.delete(word(call, 1));
}

function push(call: Call, add: (list: Deque<Buffer>, value: Buffer) => void): boolean {
  const list = ownCollection(call, isList, () => new Deque<Buffer>());
  if (list === null) return wrongType(call);
  for (let index = 2; index < call.argumentCount; index++) add(list, asReply(view(call, index)));
  call.waitingRoom.added(call.session.database, word(call, 1));
  return done(call.out.integer(list.length));
}

function pop(call: Call, take: (list: Deque<Buffer>) => Buffer | undefined): boolean {
  if (call.argumentCount > 2) return refuse(call, 'ERR this target knows LPOP and RPOP without a count only');
  const list = collection(call, isList);
  if (list === null) return wrongType(call);
  const value = list === undefined ? undefined : take(list);
  if (list === undefined || value === undefined) return done(call.out.nothing());
  call.out.raw(value);
  dropEmpty(call, list.length);
  return true;
}

function lrange(call: Call): boolean {
  const first = integer(call, 2);
  const last = integer(call, 3);
  if (first === null || last === null) return refuse(call, NOT_INTEGER);
  const list = readCollection(call, isList);
  if (list === null) return wrongType(call);
  const { start, end } = placesOf(first, last, list?.length ?? 0);
  call.out.array(end - start);
  for (let index = start; index < end; index++) call.out.raw((list as Deque<Buffer>).at(index));
  return true;
}

function sadd(call: Call): boolean {
  const set = ownCollection(call, isSet, () => new IndexedSet());
  if (set === null) return wrongType(call);
  let added = 0;
  for (let index = 2; index < call.argumentCount; index++) if (set.add(word(call, index))) added++;
  return done(call.out.integer(added));
}

function spop(call: Call): boolean {
  const set = collection(call, isSet);
  if (set === null) return wrongType(call);
  if (set === undefined) return done(call.out.nothing());
  const member = set.at(Math.floor(Math.random() * set.size));
  set.delete(member);
  dropEmpty(call, set.size);
  return done(call.out.binary(member));
}

function smembers(call: Call): boolean {
  const set = readCollection(call, isSet);
  if (set === null) return wrongType(call);
  call.out.set(set?.size ?? 0);
  for (const member of set?.members() ?? []) call.out.binary(member);
  return true;
}

function hset(call: Call, answer: (added: number) => void): boolean {
  if (call.argumentCount % 2 === 1)
    return refuse(call, `ERR wrong number of arguments for '${text(call, 0).toLowerCase()}' command`);
  const hash = ownCollection(call, isHash, () => new Map<string, Buffer>());
  if (hash === null) return wrongType(call);
  const before = hash.size;
  for (let index = 2; index < call.argumentCount; index += 2)
    hash.set(word(call, index), asReply(view(call, index + 1)));
  return done(answer(hash.size - before));
}

function hget(call: Call): boolean {
  const hash = readCollection(call, isHash);
  if (hash === null) return wrongType(call);
  return done(putField(call, hash?.get(word(call, 2))));
}

function hmget(call: Call): boolean {
  const hash = readCollection(call, isHash);
  if (hash === null) return wrongType(call);
  call.out.array(call.argumentCount - 2);
  for (let index = 2; index < call.argumentCount; index++) putField(call, hash?.get(word(call, index)));
  return true;
}

function putField(call: Call, value: Buffer | undefined): void {
  if (value === undefined) call.out.nothing();
  else call.out.raw(value);
}

function hgetall(call: Call): boolean {
  const hash = readCollection(call, isHash);
  if (hash === null) return wrongType(call);
  call.out.map(hash?.size ?? 0);
  for (const [field, value] of hash ?? []) {
    call.out.binary(field);
    call.out.raw(value);
  }
  return true;
}

/** XADD key [MAXLEN [=|~] most] * field value ... */
function xadd(call: Call): boolean {
  let at = 2;
  let most: number | null = null;
  if (text(call, at).toLowerCase() === 'maxlen') {
    at += /^[=~]$/.test(text(call, at + 1)) ? 2 : 1;
    if (at + 1 >= call.argumentCount) return refuse(call, SYNTAX);
    most = integer(call, at++);
    if (most === null || most < 0) return refuse(call, NOT_INTEGER);
  }
  if (text(call, at) !== '*') return refuse(call, 'ERR this target gives the ids of XADD itself: *');
  const fields = call.argumentCount - at - 1;
  if (fields < 2 || fields % 2 === 1) return refuse(call, "ERR wrong number of arguments for 'xadd' command");
  const log = ownCollection(call, isLog, () => new EntryLog());
  if (log === null) return wrongType(call);
  const values = Array.from({ length: fields }, (_, index) => Buffer.from(view(call, at + 1 + index)));
  const id = log.add(Date.now(), values);
  if (most !== null) log.trim(most);
  return done(call.out.bulk(id));
}
