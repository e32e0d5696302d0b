import { type Action, PacecarError, type Workload } from '@pacecar/protocol';
import type { Found } from 'memjs';
import { type ActionTable, type ClientAction, DONE, HIT, MISS, type Outcome } from '../client-action.js';
import type { ClientTask, Value } from '../client-task.js';
import type { MemjsClient } from './client.js';
import { type Body, bodyBytes, EXTRAS, frameBytes } from './frame-bytes.js';

type Make = (action: Action, workload: Workload) => ClientAction<MemjsClient>;

/** What is said for each operation, by the methods that applications call. */
export const MEMJS_ACTIONS: ActionTable<MemjsClient> = {
  get: () => action((client, task) => read(client, task, task.keyText), readOutcome),
  put: stores('set', null),
  insert: stores('set', null),
  add: stores('add', 'exists'),
  replace: stores('replace', 'notFound'),
  delete: () =>
    action(
      (client, task) => {
        task.sentBytes += frameBytes(EXTRAS.none, task.keyText);
        return client.library.delete(task.keyText);
      },
      (found, task) => hitOrMiss(found, task, 'notFound'),
    ),
  increment: () =>
    action(
      (client, task) => {
        task.sentBytes += frameBytes(EXTRAS.count, task.keyText);
        // An absent counter begins at 0, as everywhere else.
        return client.library.increment(task.keyText, 1, { initial: 1 });
      },
      (_answer, task) => {
        task.receivedBytes += frameBytes(EXTRAS.store, '');
        return DONE;
      },
    ),
  expire: ({ name, timeToLiveMs }) => {
    if (timeToLiveMs === null)
      throw new PacecarError('REQUEST_INVALID', `the action ${name} (expire) needs a time to live`);
    return action(
      (client, task) => {
        task.sentBytes += frameBytes(EXTRAS.touch, task.keyText);
        return client.library.touch(task.keyText, secondsOf(timeToLiveMs));
      },
      (found, task) => hitOrMiss(found, task, 'notFound'),
    );
  },
  // The library has no method for several keys: an application asks for all of them at once.
  getAll: () =>
    action(
      (client, task) => allOf(task.keyTexts().map(async (key) => read(client, task, key))),
      (found, task) => task.foundAll(found.map((each) => valueOf(each, task))),
    ),
  putAll: () =>
    action(
      (client, task) =>
        allOf(task.entries().map(async ([key, value]) => store(client, task, 'set', key, value, {}))),
      (_answers, task) => {
        task.receivedBytes += task.items * frameBytes(EXTRAS.none, '');
        return DONE;
      },
    ),
  readModifyWrite: () =>
    action(
      async (client, task) => {
        const found = await read(client, task, task.keyText);
        const outcome = readOutcome(found, task);
        if ('error' in outcome) return outcome;
        await store(client, task, 'set', task.keyText, task.value, {});
        task.receivedBytes += frameBytes(EXTRAS.none, '');
        return outcome;
      },
      (outcome) => outcome,
    ),
};

function action<Answer>(
  start: (client: MemjsClient, task: ClientTask) => Promise<Answer>,
  judge: (answer: Answer, task: ClientTask) => Outcome,
): ClientAction<MemjsClient> {
  return { start, judge: (answer, task) => judge(answer as Answer, task) };
}

/** `missed`: what the target says where the method gives false; null: it never does. */
function stores(method: 'set' | 'add' | 'replace', missed: Body | null): Make {
  return ({ timeToLiveMs }) => {
    const options = timeToLiveMs === null ? {} : { expires: secondsOf(timeToLiveMs) };
    return action(
      (client, task) => store(client, task, method, task.keyText, task.value, options),
      (stored, task) => {
        if (missed !== null) return hitOrMiss(stored, task, missed);
        task.receivedBytes += frameBytes(EXTRAS.none, '');
        return DONE;
      },
    );
  };
}

function read(client: MemjsClient, task: ClientTask, key: string): Promise<Found> {
  task.sentBytes += frameBytes(EXTRAS.none, key);
  return client.library.get(key);
}

function store(
  client: MemjsClient,
  task: ClientTask,
  method: 'set' | 'add' | 'replace',
  key: string,
  value: Value,
  options: { expires?: number },
): Promise<boolean> {
  task.sentBytes += frameBytes(EXTRAS.store, key, value);
  return client.library[method](key, value, options);
}

function readOutcome(found: Found, task: ClientTask): Outcome {
  return task.found(valueOf(found, task));
}

/** What was read, as text where the workload's values are text, and counts its bytes. */
function valueOf({ value }: Found, task: ClientTask): Value | null {
  if (value === null) {
    task.receivedBytes += bodyBytes('notFound');
    return null;
  }
  task.receivedBytes += frameBytes(EXTRAS.flags, '', value);
  return task.checksValues && !task.isBinary ? value.toString('latin1') : value;
}

function hitOrMiss(isThere: boolean, task: ClientTask, missed: Body): Outcome {
  task.receivedBytes += isThere ? frameBytes(EXTRAS.none, '') : bodyBytes(missed);
  return isThere ? HIT : MISS;
}

/** An operation on several keys is over when all of them are answered; the first error is the operation's. */
async function allOf<Answer>(promises: readonly Promise<Answer>[]): Promise<Answer[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}
