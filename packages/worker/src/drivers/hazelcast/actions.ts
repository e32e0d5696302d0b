import { type Action, PacecarError, type Workload } from '@pacecar/protocol';
import { ALL_FIELDS } from '../../engine/operation-stream.js';
import { type ActionTable, type ClientAction, DONE, HIT, MISS, type Outcome } from '../client-action.js';
import type { ClientTask, Value } from '../client-task.js';
import type { HazelcastClient } from './client.js';
import type { MapKey, MapValue } from './library.js';
import {
  DONE_BYTES,
  entryBytes,
  FLAG_BYTES,
  NO_ENTRY_BYTES,
  type RequestName,
  requestBytes,
  valueBytes,
} from './message-bytes.js';

type Make = (action: Action, workload: Workload) => ClientAction<HazelcastClient>;
type Read = MapValue | null;
type Fields = Readonly<Record<string, string>>;

/** What is said for each operation, by the methods that applications call. */
export const HAZELCAST_ACTIONS: ActionTable<HazelcastClient> = {
  get: () => action(read, (found, task, client) => textOutcome(counted(client, task, found), task)),
  put: stores,
  insert: stores,
  // The methods that tell whether they did it bring back the value that was there.
  add: ({ timeToLiveMs }) =>
    action(
      async (client, task) => {
        const [key, value] = [keyOf(client, task), stored(client, task.value)];
        asks(client, task, 'store', key, value);
        return client.map.putIfAbsent(key, value, timeToLiveMs ?? undefined);
      },
      (before, task) => (isThere(before, task) ? MISS : HIT),
    ),
  replace: () =>
    action(
      async (client, task) => {
        const [key, value] = [keyOf(client, task), stored(client, task.value)];
        asks(client, task, 'replace', key, value);
        return client.map.replace(key, value);
      },
      (before, task) => (isThere(before, task) ? HIT : MISS),
    ),
  delete: () =>
    action(
      async (client, task) => {
        const key = keyOf(client, task);
        asks(client, task, 'remove', key);
        return client.map.remove(key);
      },
      // Without a value to compare with, the answer is the value that was there.
      (before, task) => (isThere(before as Read, task) ? HIT : MISS),
    ),
  expire: ({ name, timeToLiveMs }) => {
    if (timeToLiveMs === null)
      throw new PacecarError('REQUEST_INVALID', `the action ${name} (expire) needs a time to live`);
    return action(
      async (client, task) => {
        const key = keyOf(client, task);
        asks(client, task, 'setTtl', key);
        return client.map.setTtl(key, timeToLiveMs);
      },
      (isSet, task) => {
        task.receivedBytes += FLAG_BYTES;
        return isSet ? HIT : MISS;
      },
    );
  },
  getAll: () => action(readAll, allOutcome),
  putAll: () =>
    action(
      async (client, task) => {
        const keys = keysOf(client, task);
        const entries = task
          .entries()
          .map(([, value], index): [MapKey, MapValue] => [keys[index] as MapKey, stored(client, value)]);
        for (const [key, value] of entries) asks(client, task, 'putAll', key, value);
        return client.settings.write === 'put' ? client.map.putAll(entries) : client.map.setAll(entries);
      },
      (_nothing, task) => {
        task.receivedBytes += task.items * DONE_BYTES;
        return DONE;
      },
    ),
  readModifyWrite: () => readThenWrite(textOutcome, (client, task) => stored(client, task.value)),
  readRecord: () => action(read, (found, task, client) => recordOutcome(counted(client, task, found), task)),
  insertRecord: () =>
    action(
      async (client, task) => store(client, task, fieldsOf(task.newFields()), null),
      (before, task, client) => written(client, task, before),
    ),
  // A map has no fields: one is changed by reading the record and writing it.
  updateRecord: () =>
    action(
      async (client, task) => {
        const before =
          task.writtenField === ALL_FIELDS ? null : counted(client, task, await read(client, task));
        return store(client, task, changed(before, task), null);
      },
      (before, task, client) => written(client, task, before),
    ),
  readModifyWriteRecord: () => readThenWrite(recordOutcome, (_client, task, before) => changed(before, task)),
};

function action<Answer>(
  start: (client: HazelcastClient, task: ClientTask) => Promise<Answer>,
  judge: (answer: Answer, task: ClientTask, client: HazelcastClient) => Outcome,
): ClientAction<HazelcastClient> {
  return { start, judge: (answer, task, client) => judge(answer as Answer, task, client) };
}

// --- what is asked ---

function asks(
  client: HazelcastClient,
  task: ClientTask,
  name: RequestName,
  key: MapKey,
  value: Read = null,
): void {
  task.sentBytes += requestBytes(name, client.settings.map, key, value);
}

function read(client: HazelcastClient, task: ClientTask): Promise<Read> {
  const key = keyOf(client, task);
  return client.read(task, 1, (map) => map.get(key));
}

function readAll(client: HazelcastClient, task: ClientTask): Promise<[MapKey, MapValue][]> {
  const keys = keysOf(client, task);
  return client.read(task, task.items, (map) => map.getAll(keys));
}

function store(
  client: HazelcastClient,
  task: ClientTask,
  value: MapValue,
  timeToLiveMs: number | null,
): Promise<unknown> {
  const key = keyOf(client, task);
  asks(client, task, 'store', key, value);
  return client.map[client.settings.write](key, value, timeToLiveMs ?? undefined);
}

function stores({ timeToLiveMs }: Action): ReturnType<Make> {
  return action(
    async (client, task) => store(client, task, stored(client, task.value), timeToLiveMs),
    (before, task, client) => written(client, task, before),
  );
}

/** A write is not begun if the read before it failed. */
function readThenWrite(
  judge: (found: Read, task: ClientTask) => Outcome,
  next: (client: HazelcastClient, task: ClientTask, before: Read) => MapValue,
): ClientAction<HazelcastClient> {
  return action(
    async (client, task) => {
      const before = counted(client, task, await read(client, task));
      const outcome = judge(before, task);
      if ('error' in outcome) return outcome;
      written(client, task, await store(client, task, next(client, task, before), null));
      return outcome;
    },
    (outcome) => outcome,
  );
}

// --- what it means ---

/** What a read has found, its bytes counted if a member was asked. */
function counted(client: HazelcastClient, task: ClientTask, found: Read): Read {
  if (task.localItems === 0) {
    asks(client, task, 'get', keyOf(client, task));
    task.receivedBytes += valueBytes(found);
  }
  return found;
}

function isThere(before: Read, task: ClientTask): boolean {
  task.receivedBytes += valueBytes(before);
  return before !== null;
}

/** `set` brings nothing back, `put` the value that was there. */
function written(client: HazelcastClient, task: ClientTask, before: unknown): Outcome {
  task.receivedBytes += client.settings.write === 'put' ? valueBytes(before as Read) : DONE_BYTES;
  return DONE;
}

function textOutcome(found: Read, task: ClientTask): Outcome {
  return task.found(readable(found, task));
}

function recordOutcome(found: Read, task: ClientTask): Outcome {
  const { fieldName } = task;
  if (fieldName === null || found === null) return task.foundRecord(found as Fields | null);
  return task.foundRecord({ [fieldName]: (found as Fields)[fieldName] });
}

/** Entries come in any order, and without those that are not there. */
function allOutcome(
  entries: readonly [MapKey, MapValue][],
  task: ClientTask,
  client: HazelcastClient,
): Outcome {
  const keys = keysOf(client, task);
  const found = new Map(entries.map(([key, value]) => [String(key), value]));
  const values = keys.map((key) => found.get(String(key)) ?? null);
  if (task.localItems === 0)
    for (const [index, key] of keys.entries()) {
      asks(client, task, 'getAll', key);
      const value = values[index] ?? null;
      task.receivedBytes += value === null ? NO_ENTRY_BYTES : entryBytes(key, value);
    }
  return task.foundAll(values.map((value) => readable(value, task)));
}

// --- keys and values ---

function keyOf(client: HazelcastClient, task: ClientTask): MapKey {
  return client.settings.keyType === 'long' ? client.longKey(task.key) : task.keyText;
}

function keysOf(client: HazelcastClient, task: ClientTask): MapKey[] {
  if (client.settings.keyType === 'string') return task.keyTexts();
  return Array.from(task.keys.subarray(0, task.items), (key) => client.longKey(key));
}

function stored(client: HazelcastClient, value: Value): MapValue {
  return client.settings.valueType === 'bytes' && typeof value === 'string' ? Buffer.from(value) : value;
}

/** As text where the workload's values are text, if somebody is to look at it. */
function readable(found: Read, task: ClientTask): Value | null {
  if (!(found instanceof Buffer)) return found as string | null;
  return task.checksValues && !task.isBinary ? found.toString('latin1') : found;
}

function fieldsOf(fields: readonly [name: string, value: Value][]): Fields {
  return Object.fromEntries(fields) as Fields;
}

function changed(before: Read, task: ClientTask): Fields {
  return { ...(before as Fields | null), ...fieldsOf(task.writtenFields()) };
}
