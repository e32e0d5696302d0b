import { type Call, type CommandTable, done, refuse, word, wrongType } from './call.js';
import { Deque } from './deque.js';
import { noElement, putElement, takeFrom, type Waiting } from './waiting-room.js';

/** Pops that wait: the session does not go on before they are answered. */
export const BLOCKING_COMMANDS: CommandTable = {
  blpop: { arity: -3, run: (call) => pop(call, (list) => list.popFirst()) },
  brpop: { arity: -3, run: (call) => pop(call, (list) => list.popLast()) },
};

/** BLPOP key [key ...] seconds */
function pop(call: Call, take: Waiting['take']): boolean {
  const { session, out } = call;
  const last = call.argumentCount - 1;
  const timeoutMs = milliseconds(word(call, last));
  if (timeoutMs === null) return refuse(call, 'ERR timeout is not a float or out of range');
  if (timeoutMs < 0) return refuse(call, 'ERR timeout is negative');
  const keys = Array.from({ length: last - 1 }, (_, index) => word(call, index + 1));
  for (const key of keys) {
    const stored = session.database.get(key);
    if (stored === undefined) continue;
    if (!(stored instanceof Deque)) return wrongType(call);
    const value = takeFrom(session.database, key, take);
    if (value !== undefined) return done(putElement(out, key, value));
  }
  if (!call.mayWait) return done(noElement(out));
  call.waitingRoom.wait(session, { keys, take, timeoutMs });
  return true;
}

/** Seconds as Redis reads them, with a fraction if they have one, rounded up; null: they are no number. */
function milliseconds(seconds: string): number | null {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(seconds)) return null;
  const ms = Math.ceil(Number(seconds) * 1000);
  return Number.isSafeInteger(ms) ? ms : null;
}
