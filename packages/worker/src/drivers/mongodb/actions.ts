import { PacecarError, type Workload } from '@pacecar/protocol';
import { type ActionTable, type ClientAction, DONE, HIT, MISS, type Outcome } from '../client-action.js';
import type { ClientTask, Value } from '../client-task.js';
import { answerBytes } from './bson-bytes.js';
import type { Fields, MongodbClient, StoredDocument } from './client.js';
import { DUPLICATE_KEY_CODE } from './error-kind.js';

const BY_KEY = { _id: 1 } as const;
const RECORD_NOT_FOUND: Outcome = { error: 'NOT_FOUND' };
const NOT_THERE = answerBytes({ cursor: { firstBatch: [], id: 0.5, ns: '' }, ok: 0.5 });
const ACKNOWLEDGED = answerBytes({ n: 1, nModified: 1, ok: 0.5 });

/** A key is the `_id` of a document, and its value the field `value`; a record's fields are those of the document. */
export const MONGODB_ACTIONS: ActionTable<MongodbClient> = {
  get: () => action(read, foundValue),
  put: () => action(put, written),
  add: () =>
    action(
      async (client, task) => {
        try {
          await insert(client, task, { value: task.value });
          return true;
        } catch (thrown) {
          if ((thrown as { code?: unknown }).code === DUPLICATE_KEY_CODE) return false;
          throw thrown;
        }
      },
      (isNew, task) => answered(task, isNew),
    ),
  replace: () =>
    action(
      (client, task) => {
        const { keyText, value } = task;
        client.sent(task, 'update', { q: { _id: keyText }, u: { value } });
        return client.collection.replaceOne({ _id: keyText }, { value });
      },
      ({ matchedCount }, task) => answered(task, matchedCount > 0),
    ),
  insert: () => action((client, task) => insert(client, task, { value: task.value }), written),
  delete: () =>
    action(
      (client, task) => {
        client.sent(task, 'delete', { q: { _id: task.keyText }, limit: 1 });
        return client.collection.deleteOne({ _id: task.keyText });
      },
      ({ deletedCount }, task) => answered(task, deletedCount > 0),
    ),
  increment: () =>
    action((client, task) => {
      const change = { $inc: { value: 1 } } as const;
      client.sent(task, 'update', { q: { _id: task.keyText }, u: change, upsert: true });
      return client.collection.updateOne({ _id: task.keyText }, change as object, { upsert: true });
    }, written),
  getAll: () =>
    action(
      (client, task) => {
        const keys = task.keyTexts();
        return client.find(task, { _id: { $in: keys } }, { limit: keys.length });
      },
      (documents, task) => {
        received(task, documents);
        const byKey = new Map(documents.map((document) => [document._id, valueOf(document)]));
        return task.foundAll(task.keyTexts().map((key) => byKey.get(key)));
      },
    ),
  putAll: () =>
    action((client, task) => {
      const puts = task.entries().map(([_id, value]) => ({
        replaceOne: { filter: { _id }, replacement: { value }, upsert: true },
      }));
      for (const { replaceOne } of puts)
        client.sent(task, 'update', { q: replaceOne.filter, u: replaceOne.replacement, upsert: true });
      return client.collection.bulkWrite(puts, { ordered: client.settings.ordered });
    }, written),
  scan: ({ batch }) => {
    const most = batch ?? 1;
    return action(
      (client, task) => {
        const { cursor } = task;
        const after = typeof cursor === 'string' ? { _id: { $gt: cursor } } : {};
        return client.find(task, after, { projection: BY_KEY, sort: BY_KEY, limit: most });
      },
      (documents, task) => {
        received(task, documents);
        task.cursor = documents.length < most ? null : (documents.at(-1)?._id ?? null);
        return DONE;
      },
    );
  },
  readModifyWrite: () => readThenWrite(read, foundValue, put),
  readRecord: (_action, workload) => {
    checkRecords(workload);
    return action(readRecord, foundRecord);
  },
  updateRecord: (_action, workload) => {
    checkRecords(workload);
    return action(updateRecord, ({ acknowledged, matchedCount, upsertedCount }, task) => {
      received(task, []);
      return acknowledged && matchedCount + upsertedCount === 0 ? RECORD_NOT_FOUND : DONE;
    });
  },
  insertRecord: (_action, workload) => {
    checkRecords(workload);
    return action((client, task) => insert(client, task, fieldsOf(task.newFields())), written);
  },
  scanRecords: (_action, workload) => {
    checkRecords(workload);
    return action(
      (client, task) => {
        const { fieldName, items } = task;
        return client.find(
          task,
          { _id: { $gte: task.keyText } },
          { sort: BY_KEY, limit: items, ...(fieldName === null ? {} : { projection: { [fieldName]: 1 } }) },
        );
      },
      (documents, task) => {
        received(task, documents);
        return task.scanned(documents.map((document) => [document._id, withoutKey(document)]));
      },
    );
  },
  readModifyWriteRecord: (_action, workload) => {
    checkRecords(workload);
    return readThenWrite(readRecord, foundRecord, updateRecord);
  },
};

function action<Answer>(
  start: (client: MongodbClient, task: ClientTask) => Promise<Answer>,
  judge: (answer: Answer, task: ClientTask) => Outcome,
): ClientAction<MongodbClient> {
  return { start, judge: (answer, task) => judge(answer as Answer, task) };
}

/** A write is not begun if the read before it failed. */
function readThenWrite(
  first: (client: MongodbClient, task: ClientTask) => Promise<StoredDocument | null>,
  judge: (document: StoredDocument | null, task: ClientTask) => Outcome,
  write: (client: MongodbClient, task: ClientTask) => Promise<unknown>,
): ClientAction<MongodbClient> {
  return action(
    async (client, task) => {
      const outcome = judge(await first(client, task), task);
      if ('error' in outcome) return outcome;
      await write(client, task);
      task.receivedBytes += ACKNOWLEDGED;
      return outcome;
    },
    (outcome) => outcome,
  );
}

function checkRecords({ name, records }: Workload): void {
  if (records === null) throw new PacecarError('REQUEST_INVALID', `the workload ${name} has no records`);
}

// --- what is asked ---

function read(client: MongodbClient, task: ClientTask): Promise<StoredDocument | null> {
  const { keyText } = task;
  client.sent(task, 'find', { filter: { _id: keyText }, limit: 1, singleBatch: true });
  return client.collection.findOne({ _id: keyText });
}

function put(client: MongodbClient, task: ClientTask): Promise<unknown> {
  const { keyText, value } = task;
  client.sent(task, 'update', { q: { _id: keyText }, u: { value }, upsert: true });
  return client.collection.replaceOne({ _id: keyText }, { value }, { upsert: true });
}

function insert(client: MongodbClient, task: ClientTask, fields: Fields): Promise<unknown> {
  const document = { _id: task.keyText, ...fields };
  client.sent(task, 'insert', document);
  return client.collection.insertOne(document);
}

function readRecord(client: MongodbClient, task: ClientTask): Promise<StoredDocument | null> {
  const { keyText, fieldName } = task;
  if (fieldName === null) return read(client, task);
  const projection = { [fieldName]: 1 } as const;
  client.sent(task, 'find', { filter: { _id: keyText }, limit: 1, singleBatch: true, projection });
  return client.collection.findOne({ _id: keyText }, { projection });
}

function updateRecord(
  client: MongodbClient,
  task: ClientTask,
): Promise<{ acknowledged: boolean; matchedCount: number; upsertedCount: number }> {
  const { keyText } = task;
  const { upsert } = client.settings;
  const change = { $set: fieldsOf(task.writtenFields()) };
  client.sent(task, 'update', { q: { _id: keyText }, u: change, ...(upsert ? { upsert } : {}) });
  return client.collection.updateOne({ _id: keyText }, change, { upsert });
}

function fieldsOf(fields: readonly [name: string, value: Value][]): Fields {
  return Object.fromEntries(fields);
}

// --- what is answered ---

function received(task: ClientTask, documents: readonly (StoredDocument | null)[]): void {
  task.receivedBytes += NOT_THERE;
  for (const document of documents) if (document !== null) task.receivedBytes += answerBytes(document) - 18;
}

function written(answer: unknown, task: ClientTask): Outcome {
  if ((answer as { acknowledged?: boolean }).acknowledged !== false) task.receivedBytes += ACKNOWLEDGED;
  return DONE;
}

function answered(task: ClientTask, isHit: boolean): Outcome {
  task.receivedBytes += ACKNOWLEDGED;
  return isHit ? HIT : MISS;
}

function foundValue(document: StoredDocument | null, task: ClientTask): Outcome {
  received(task, [document]);
  return task.found(document === null ? null : valueOf(document));
}

/** A counter is a number; as everywhere else, what is read of it is its text. */
function valueOf({ value = '' }: StoredDocument): Value {
  return typeof value === 'number' ? String(value) : value;
}

function foundRecord(document: StoredDocument | null, task: ClientTask): Outcome {
  received(task, [document]);
  return task.foundRecord(document === null ? null : withoutKey(document));
}

function withoutKey({ _id, ...fields }: StoredDocument): Readonly<Record<string, Value>> {
  return fields as Readonly<Record<string, Value>>;
}
