import {
  type Call,
  type CommandTable,
  done,
  integer,
  NOT_INTEGER,
  refuse,
  SYNTAX,
  text,
  word,
} from './call.js';
import type { Database } from './database.js';

export const KEY_COMMANDS: CommandTable = {
  del: { arity: -2, run: (call) => forEachKey(call, (database, key) => database.delete(key)) },
  unlink: { arity: -2, run: (call) => forEachKey(call, (database, key) => database.delete(key)) },
  exists: { arity: -2, run: (call) => forEachKey(call, (database, key) => found(call, database.has(key))) },
  scan: { arity: -2, run: scan },
  dbsize: { arity: 1, run: ({ out, session }) => done(out.integer(session.database.size)) },
};

const ZERO = Buffer.from(':0\r\n');
const ONE = Buffer.from(':1\r\n');
const DEFAULT_COUNT = 10;

function found({ statistics }: Call, isThere: boolean): boolean {
  if (isThere) statistics.hits++;
  else statistics.misses++;
  return isThere;
}

function forEachKey(call: Call, visit: (database: Database, key: string) => boolean): boolean {
  let count = 0;
  for (let index = 1; index < call.argumentCount; index++) {
    if (visit(call.session.database, word(call, index))) count++;
  }
  if (count === 0) call.out.raw(ZERO);
  else if (count === 1) call.out.raw(ONE);
  else call.out.integer(count);
  return true;
}

function scan(call: Call): boolean {
  const cursor = integer(call, 1);
  if (cursor === null || cursor < 0) return refuse(call, 'ERR invalid cursor');
  let count = DEFAULT_COUNT;
  for (let index = 2; index < call.argumentCount; index += 2) {
    if (text(call, index).toLowerCase() !== 'count' || index + 1 === call.argumentCount)
      return refuse(call, 'ERR this target knows only SCAN cursor [COUNT count]');
    const asked = integer(call, index + 1);
    if (asked === null) return refuse(call, NOT_INTEGER);
    if (asked < 1) return refuse(call, SYNTAX);
    count = asked;
  }
  const { next, keys } = call.session.database.scan(cursor, count);
  call.out.array(2);
  call.out.bulk(String(next));
  call.out.array(keys.length);
  for (const key of keys) call.out.binary(key);
  return true;
}
