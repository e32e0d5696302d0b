import { type Action, CAN_MISS, PacecarError, type Workload } from '@pacecar/protocol';
import {
  type ActionTable,
  type ClientAction,
  CONFLICT,
  DONE,
  HIT,
  MISS,
  type Outcome,
} from '../client-action.js';
import type { ClientTask, Value } from '../client-task.js';
import { noOccurrences } from '../resp/command-filler.js';
import { INDEX_KEY, IndexFiller } from '../resp/index-text.js';
import { KEY_OPERATIONS, type KeyCommand, keyCommand } from '../resp/key-command.js';
import { ownCommandOf, recordsOf, transactionOf } from '../resp/own-command.js';
import type { IoredisClient } from './client.js';
import { CommandWords } from './command-words.js';
import { commandBytes, statusBytes } from './reply-tree.js';

type Read = Value | null;
type Fields = Readonly<Record<string, Read>>;

/** One command, said by the library's method for it. */
interface Said<Answer> {
  readonly method: string;
  readonly name: string;
  readonly words: (task: ClientTask) => readonly Value[];
  readonly judge: (answer: Answer, task: ClientTask) => Outcome;
}

/** What is said for each operation: the wire driver's commands, by the methods that applications call. */
export const IOREDIS_ACTIONS: ActionTable<IoredisClient> = {
  ...Object.fromEntries(KEY_OPERATIONS.map((operation) => [operation, keyAction])),
  getAll: (_action, workload) =>
    reads({
      ...{ method: reading('mget', workload), name: 'MGET' },
      words: (task) => task.keyTexts(),
      judge: (values: readonly Read[], task) => task.foundAll(values),
    }),
  putAll: () => writes({ method: 'mset', name: 'MSET', words: (task) => task.entries().flat() }),
  scan: (action) =>
    reads({
      ...{ method: 'scan', name: 'SCAN' },
      words: ({ cursor }) => [cursorText(cursor), 'COUNT', String(action.batch ?? 1)],
      judge([next]: readonly [string, readonly string[]], task) {
        task.cursor = next;
        return DONE;
      },
    }),
  readModifyWrite: (_action, workload) =>
    readThenWrite<Read>(
      {
        ...{ method: reading('get', workload), name: 'GET' },
        words: ({ keyText }) => [keyText],
        judge: (value, task) => task.found(value),
      },
      { method: 'set', name: 'SET', words: ({ keyText, value }) => [keyText, value] },
    ),
  readRecord: (_action, workload) => {
    const read = recordRead(workload);
    return reads({
      ...read,
      words: (task) => read.words(task.keyText, task),
      judge: (answer: Fields | readonly Read[], task) => task.foundRecord(recordOf(answer, task)),
    });
  },
  updateRecord: (_action, workload) => writes(recordUpdate(workload)),
  insertRecord: insertRecord,
  readModifyWriteRecord: (_action, workload) => {
    const read = recordRead(workload);
    return readThenWrite<Fields | readonly Read[]>(
      {
        ...read,
        words: (task) => read.words(task.keyText, task),
        judge: (answer, task) => task.foundRecord(recordOf(answer, task)),
      },
      recordUpdate(workload),
    );
  },
  scanRecords,
  command,
  transaction,
};

/** Of a method that reads values: texts, or bytes if values are no text. */
function reading(method: string, { values }: Workload): string {
  return values.content.kind === 'printable' ? method : `${method}Buffer`;
}

function reads<Answer>({ method, name, words, judge }: Said<Answer>): ClientAction<IoredisClient> {
  return {
    start: (client, task) => client.say(task, method, name, words(task)),
    judge(answer: Answer, task, client) {
      task.receivedBytes += client.replies.measure(answer);
      return judge(answer, task);
    },
  };
}

function writes({ method, name, words }: Omit<Said<unknown>, 'judge'>): ClientAction<IoredisClient> {
  return {
    start: (client, task) => client.say(task, method, name, words(task)),
    judge(answer, task, client) {
      task.receivedBytes += statusOr(answer, client);
      return DONE;
    },
  };
}

/** A write is not begun if the read before it failed. */
function readThenWrite<Answer>(
  read: Said<Answer>,
  write: Omit<Said<unknown>, 'judge'>,
): ClientAction<IoredisClient, Outcome> {
  return {
    async start(client, task) {
      const answer = await client.say(task, read.method, read.name, read.words(task));
      task.receivedBytes += client.replies.measure(answer);
      const outcome = read.judge(answer as Answer, task);
      if ('error' in outcome) return outcome;
      const written = await client.say(task, write.method, write.name, write.words(task));
      task.receivedBytes += statusOr(written, client);
      return outcome;
    },
    judge: (outcome) => outcome,
  };
}

/** The size of an answer of which a text is a status. */
function statusOr(answer: unknown, { replies }: IoredisClient): number {
  return typeof answer === 'string' ? statusBytes(answer) : replies.measure(answer);
}

// --- one key ---

function keyAction(action: Action, workload: Workload): ClientAction<IoredisClient> {
  const said = keyCommand(action, workload);
  if (said === null) throw new PacecarError('UNSUPPORTED', `this driver has no ${action.operation}`);
  const { name, hasValue, after, missUpTo } = said;
  const canMiss = CAN_MISS.has(action.operation);
  const isRead = action.operation === 'get' || action.operation === 'getRange';
  const method = isRead ? reading(name.toLowerCase(), workload) : name.toLowerCase();
  const rest = after.map((word) => (workload.values.content.kind === 'printable' ? String(word) : word));
  const words = ({ keyText, value }: Pick<ClientTask, 'keyText' | 'value'>) => [keyText, value, ...rest];
  return {
    start: (client, task) => client.say(task, method, name, hasValue ? words(task) : [task.keyText, ...rest]),
    judge(answer: Read | number, task, client) {
      task.receivedBytes += isRead ? client.replies.measure(answer) : statusOr(answer, client);
      if (action.operation === 'get') return task.found(answer as Read);
      if (action.operation === 'getRange' && action.range !== null)
        return task.foundPart(answer as Value, action.range);
      if (!canMiss) return DONE;
      return measureOf(answer) <= missUpTo ? MISS : HIT;
    },
  };
}

/** What says whether something was there: a number, or the length of a text; -1 for nothing. */
function measureOf(answer: Read | number): KeyCommand['missUpTo'] {
  if (typeof answer === 'number') return answer;
  return answer === null ? -1 : answer.length;
}

function cursorText(cursor: unknown): string {
  return typeof cursor === 'string' ? cursor : '0';
}

// --- records ---

interface RecordRead {
  readonly method: string;
  readonly name: string;
  words(key: string, task: ClientTask): readonly string[];
}

function recordRead(workload: Workload): RecordRead {
  if (recordsOf(workload).readAllFields)
    return { method: reading('hgetall', workload), name: 'HGETALL', words: (key) => [key] };
  const words = (key: string, { fieldName }: ClientTask) => [key, fieldName as string];
  return { method: reading('hmget', workload), name: 'HMGET', words };
}

/** What HGETALL or, for the one field that was asked for, HMGET answered. */
function recordOf(answer: Fields | readonly Read[], { fieldName }: ClientTask): Fields {
  if (!Array.isArray(answer)) return answer as Fields;
  return { [fieldName as string]: (answer as readonly Read[])[0] ?? null };
}

function recordUpdate(workload: Workload): Omit<Said<unknown>, 'judge'> {
  recordsOf(workload);
  return {
    ...{ method: 'hset', name: 'HSET' },
    words: (task) => [task.keyText, ...task.writtenFields().flat()],
  };
}

function insertRecord(_action: Action, workload: Workload): ClientAction<IoredisClient> {
  recordsOf(workload);
  const index = new IndexFiller(workload.keys);
  return {
    start(client, task) {
      const { key, keyText } = task;
      return allAnswered([
        client.say(task, 'hset', 'HSET', [keyText, ...task.newFields().flat()]),
        client.say(task, 'zadd', 'ZADD', [INDEX_KEY, String(index.scoreOf(key)), keyText]),
      ]);
    },
    judge(answers: readonly unknown[], task, client) {
      for (const answer of answers) task.receivedBytes += client.replies.measure(answer);
      return DONE;
    },
  };
}

/** What a scan found, and what the reads of it answered. */
interface Scanned {
  readonly keys: readonly string[];
  readonly answers: readonly (Fields | readonly Read[])[];
}

function scanRecords(_action: Action, workload: Workload): ClientAction<IoredisClient> {
  const read = recordRead(workload);
  const index = new IndexFiller(workload.keys);
  return {
    async start(client, task) {
      const score = String(index.scoreOf(task.key));
      const range = [INDEX_KEY, score, '+inf', 'LIMIT', '0', String(task.items)];
      const keys = (await client.say(task, 'zrangebyscore', 'ZRANGEBYSCORE', range)) as readonly string[];
      task.receivedBytes += client.replies.measure(keys);
      const said = keys.map((key) => client.say(task, read.method, read.name, read.words(key, task)));
      return { keys, answers: await allAnswered(said) };
    },
    judge({ keys, answers }: Scanned, task, client) {
      for (const answer of answers) task.receivedBytes += client.replies.measure(answer);
      return task.scanned(answers.map((answer, index) => [keys[index] as string, recordOf(answer, task)]));
    },
  };
}

/** Waits for all of them, also once one has failed: then the operation is over. Rejects with the first error. */
async function allAnswered(answers: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(answers);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

// --- the target's own language ---

function command(action: Action, workload: Workload): ClientAction<IoredisClient> {
  if (action.inline)
    throw new PacecarError('REQUEST_INVALID', `the library cannot send ${action.name} inline`);
  const own = ownCommandOf(action);
  const words = new CommandWords(own, workload, { seen: noOccurrences(), pinned: false });
  const call = callOf(workload);
  return {
    start: (client, task) => client.call(task, call, words.name, words.of(task)),
    judge(answer, task, { replies }) {
      const outcome = replies.judge(answer, own.rule);
      task.receivedBytes += replies.bytes;
      return outcome;
    },
  };
}

function callOf({ values }: Workload): 'call' | 'callBuffer' {
  return values.content.kind === 'printable' ? 'call' : 'callBuffer';
}

/** MULTI, the commands and EXEC leave in one write of one client; nothing of other operations is in between. */
function transaction(action: Action, workload: Workload): ClientAction<IoredisClient> {
  const own = transactionOf(action);
  const seen = noOccurrences();
  const commands = own.map((each) => new CommandWords(each, workload, { seen, pinned: true }));
  const call = callOf(workload);
  const frameBytes = commandBytes('MULTI', []) + commandBytes('EXEC', []);
  const queuedBytes = statusBytes('OK') + own.length * statusBytes('QUEUED');
  return {
    start({ redis }, task) {
      const chain = redis.multi();
      task.sentBytes += frameBytes;
      for (const each of commands) {
        const words = each.of(task);
        task.sentBytes += commandBytes(each.name, words);
        chain[call](each.name, ...words);
      }
      return chain.exec();
    },
    judge(results: readonly (readonly [Error | null, unknown])[] | null, task, { replies }) {
      task.receivedBytes +=
        queuedBytes + replies.measure(results?.map(([error, value]) => error ?? value) ?? null);
      if (results === null) return CONFLICT;
      let hits = 0;
      let misses = 0;
      for (const [index, [error, value]] of results.entries()) {
        const outcome = replies.judge(error ?? value, own[index]?.rule ?? 'silent');
        if ('error' in outcome) return outcome;
        hits += outcome.hits;
        misses += outcome.misses;
      }
      return { hits, misses };
    },
  };
}
