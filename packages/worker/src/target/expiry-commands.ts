import { type Call, type CommandTable, done, integer, NOT_INTEGER, refuse, word } from './call.js';

/** What SET's options for a time to live count in, ms: a length of time, or a time of day. */
export const MS_PER_UNIT: Readonly<Record<string, number>> = { ex: 1_000, px: 1, exat: 1_000, pxat: 1 };

/** The end, ms of `Date.now`, that a positive amount says. */
export function endAfter(amount: number, option: string): number {
  const ms = amount * (MS_PER_UNIT[option] as number);
  return option.endsWith('at') ? ms : Date.now() + ms;
}

export const EXPIRY_COMMANDS: CommandTable = {
  expire: { arity: -3, run: (call) => expire(call, 1_000) },
  pexpire: { arity: -3, run: (call) => expire(call, 1) },
  persist: { arity: 2, run: persist },
  ttl: { arity: 2, run: (call) => timeToLive(call, 1_000) },
  pttl: { arity: 2, run: (call) => timeToLive(call, 1) },
};

function expire(call: Call, msPerUnit: number): boolean {
  const amount = integer(call, 2);
  if (amount === null) return refuse(call, NOT_INTEGER);
  if (call.argumentCount > 3) return refuse(call, 'ERR this target knows no options of EXPIRE and PEXPIRE');
  const { database } = call.session;
  const key = word(call, 1);
  if (!database.has(key)) return done(call.out.integer(0));
  if (amount <= 0) database.delete(key);
  else database.endAt(key, Date.now() + amount * msPerUnit);
  return done(call.out.integer(1));
}

function persist(call: Call): boolean {
  const { database } = call.session;
  const key = word(call, 1);
  const ends = database.has(key) && database.endOf(key) !== null;
  if (ends) database.endAt(key, null);
  return done(call.out.integer(ends ? 1 : 0));
}

/** -2: no such key; -1: it does not end. */
function timeToLive(call: Call, msPerUnit: number): boolean {
  const { database } = call.session;
  const key = word(call, 1);
  if (!database.has(key)) {
    call.statistics.misses++;
    return done(call.out.integer(-2));
  }
  call.statistics.hits++;
  const endMs = database.endOf(key);
  if (endMs === null) return done(call.out.integer(-1));
  return done(call.out.integer(Math.round(Math.max(0, endMs - Date.now()) / msPerUnit)));
}
