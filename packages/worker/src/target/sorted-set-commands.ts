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
  wrongType,
} from './call.js';
import { collection, dropEmpty, ownCollection, readCollection, size } from './collection-commands.js';
import type { Stored } from './database.js';
import { boundOf, scoreOf, scoreText, SortedSet } from './sorted-set.js';

export const SORTED_SET_COMMANDS: CommandTable = {
  zadd: { arity: -4, run: zadd },
  zscore: { arity: 3, run: zscore },
  zcard: { arity: 2, run: (call) => size(call, isSortedSet, (set) => set.size) },
  zrangebyscore: { arity: -4, run: zrangebyscore },
  zpopmin: { arity: -2, run: zpopmin },
};

const isSortedSet = (stored: Stored): stored is SortedSet => stored instanceof SortedSet;

function zadd(call: Call): boolean {
  if (call.argumentCount % 2 === 1) return refuse(call, SYNTAX);
  const scores: number[] = [];
  for (let index = 2; index < call.argumentCount; index += 2) {
    const score = scoreOf(word(call, index));
    if (score === null) return refuse(call, 'ERR value is not a valid float');
    scores.push(score);
  }
  const set = ownCollection(call, isSortedSet, () => new SortedSet());
  if (set === null) return wrongType(call);
  let added = 0;
  scores.forEach((score, index) => {
    if (set.set(word(call, 3 + 2 * index), score)) added++;
  });
  return done(call.out.integer(added));
}

function zscore(call: Call): boolean {
  const set = readCollection(call, isSortedSet);
  if (set === null) return wrongType(call);
  const score = set?.score(word(call, 2));
  return done(score === undefined ? call.out.nothing() : call.out.score(scoreText(score)));
}

function zrangebyscore(call: Call): boolean {
  const from = boundOf(word(call, 2));
  const to = boundOf(word(call, 3));
  if (from === null || to === null) return refuse(call, 'ERR min or max is not a float');
  let withScores = false;
  let offset = 0;
  let count = -1;
  for (let index = 4; index < call.argumentCount; index++) {
    const option = text(call, index).toLowerCase();
    if (option === 'withscores') {
      withScores = true;
    } else if (option === 'limit' && index + 2 < call.argumentCount) {
      const first = integer(call, ++index);
      const most = integer(call, ++index);
      if (first === null || most === null) return refuse(call, NOT_INTEGER);
      offset = first;
      count = most;
    } else {
      return refuse(call, SYNTAX);
    }
  }
  const set = readCollection(call, isSortedSet);
  if (set === null) return wrongType(call);
  const range = set?.range(from, to) ?? { start: 0, end: 0 };
  const start = offset < 0 ? range.end : Math.min(range.end, range.start + offset);
  const end = Math.max(start, count < 0 ? range.end : Math.min(range.end, start + count));
  writeRanked(call, withScores, end - start, (index) => (set as SortedSet).at(start + index));
  return true;
}

function zpopmin(call: Call): boolean {
  if (call.argumentCount > 3) return refuse(call, SYNTAX);
  const count = call.argumentCount === 3 ? integer(call, 2) : 1;
  if (count === null || count < 0) return refuse(call, 'ERR value is out of range, must be positive');
  const set = collection(call, isSortedSet);
  if (set === null) return wrongType(call);
  const popped = set?.popFirst(count) ?? [];
  // Without a count RESP3 has one pair, and with it an array of pairs.
  if (call.out.resp3 && call.argumentCount === 2) {
    call.out.array(popped.length * 2);
    for (const { member, score } of popped) {
      call.out.binary(member);
      call.out.score(scoreText(score));
    }
  } else {
    writeRanked(call, true, popped.length, (index) => popped[index] as (typeof popped)[number]);
  }
  if (set !== undefined) dropEmpty(call, set.size);
  return true;
}

/** Members alone, or with their scores: one after the other in RESP2, in pairs in RESP3. */
function writeRanked(
  { out }: Call,
  withScores: boolean,
  count: number,
  at: (index: number) => { readonly member: string; readonly score: number },
): void {
  out.array(withScores && !out.resp3 ? count * 2 : count);
  for (let index = 0; index < count; index++) {
    const { member, score } = at(index);
    if (withScores && out.resp3) out.array(2);
    out.binary(member);
    if (withScores) out.score(scoreText(score));
  }
}
