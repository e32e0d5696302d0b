import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Action,
  CLOSED_MODEL,
  type Operation,
  PacecarError,
  plainAction,
  RECONNECT,
  type Workload,
} from '@pacecar/protocol';
import { SHARED_TEXT } from '../../engine/shared-text.js';
import { valueText } from '../../engine/value-text.js';
import type { CommandShapes } from '../wire/command-shape.js';
import { SendBuffer } from '../wire/send-buffer.js';
import { type Phrase, phrasesOf } from './phrase.js';

const action = (operation: Operation, rest: Partial<Action> = {}): Action => ({
  ...plainAction(operation, 1),
  ...rest,
});

function workloadOf(one: Action, bytes: number | null): Workload {
  return {
    ...{ name: 'w', depth: 1, mixMode: 'random', checkValues: false, records: null, mix: [one] },
    threads: { count: 1, scope: 'worker' },
    connections: { count: 1, scope: 'worker' },
    keys: {
      ...{ minimum: 0, maximum: 999, prefix: 'k', suffix: '', order: 'numeric', width: 0 },
      distribution: { kind: 'uniform' },
    },
    values: {
      size:
        bytes === null ? { kind: 'uniform', minimumBytes: 0, maximumBytes: 100 } : { kind: 'fixed', bytes },
      content: { kind: 'printable' },
    },
    model: CLOSED_MODEL,
    reconnect: RECONNECT,
  };
}

/** Everything that a phrase says of keys 7 and up with values of 3 bytes, its second step behind a bar. */
function said({ commands, batch, second }: Phrase, keys: number): string {
  const buffer = new SendBuffer(10_000, SHARED_TEXT);
  const say = (shapes: CommandShapes, key: number) => buffer.add(shapes.of(key), key, 3);
  for (const command of commands) say(command, 7);
  if (batch !== null)
    for (let index = 0; index < keys; index++) {
      const isLast = index === keys - 1;
      say(index === 0 ? (isLast ? batch.only : batch.first) : isLast ? batch.last : batch.inner, 7 + index);
    }
  const first = buffer.from(0).toString('latin1');
  if (second === null) return first;
  buffer.clear();
  say(second.command, 7);
  return `${first}|${buffer.from(0).toString('latin1')}`;
}

const V = (key: number) => valueText(key, 3);
const put = `k7 3\r\n${V(7)}\r\n`;
const life = { timeToLiveMs: 60_000 };

const PHRASES: readonly (readonly [one: Action, meta: string, text: string])[] = [
  [action('get'), 'mg k7 v\r\n', 'get k7\r\n'],
  [action('put'), `ms ${put}`, `set k7 0 0 3\r\n${V(7)}\r\n`],
  [action('put', life), `ms k7 3 T60\r\n${V(7)}\r\n`, `set k7 0 60 3\r\n${V(7)}\r\n`],
  [action('insert'), `ms ${put}`, `set k7 0 0 3\r\n${V(7)}\r\n`],
  [action('add', life), `ms k7 3 ME T60\r\n${V(7)}\r\n`, `add k7 0 60 3\r\n${V(7)}\r\n`],
  [action('replace'), `ms k7 3 MR\r\n${V(7)}\r\n`, `replace k7 0 0 3\r\n${V(7)}\r\n`],
  [action('delete'), 'md k7\r\n', 'delete k7\r\n'],
  [action('expire', life), 'touch k7 60\r\n', 'touch k7 60\r\n'],
  [action('increment'), 'ma k7 N0 J1\r\n', 'add k7 0 0 1 noreply\r\n0\r\nincr k7 1\r\n'],
  [action('getAll', { batch: 1 }), 'mg k7 v\r\n', 'get k7\r\n'],
  [action('getAll', { batch: 2 }), 'mg k7 v\r\nmg k8 v\r\n', 'get k7 k8\r\n'],
  [action('getAll', { batch: 4 }), 'mg k7 v\r\nmg k8 v\r\nmg k9 v\r\nmg k10 v\r\n', 'get k7 k8 k9 k10\r\n'],
  [
    action('putAll', { batch: 2 }),
    `ms ${put}ms k8 3\r\n${V(8)}\r\n`,
    `set k7 0 0 3\r\n${V(7)}\r\nset k8 0 0 3\r\n${V(8)}\r\n`,
  ],
  [action('readModifyWrite'), `mg k7 v\r\n|ms ${put}`, `get k7\r\n|set k7 0 0 3\r\n${V(7)}\r\n`],
];

describe('what is said to a memcached', () => {
  for (const [one, meta, text] of PHRASES)
    for (const [protocol, expected] of [
      ['meta', meta],
      ['text', text],
    ] as const)
      test(`${one.operation} ${one.batch ?? ''} ${one.timeToLiveMs ?? ''} in ${protocol}: ${JSON.stringify(expected)}`, () => {
        // Values of one size stand in the command as a whole, those of many are written each time.
        for (const bytes of [3, null]) {
          const [phrase] = phrasesOf(workloadOf(one, bytes), protocol);
          assert.equal(said(phrase as Phrase, one.batch ?? 1), expected);
        }
      });

  test('an operation that it lacks, or that lacks something, is refused by name', () => {
    const refused = (one: Action, code: string, reason: RegExp) =>
      assert.throws(
        () => phrasesOf(workloadOf(one, 3), 'meta'),
        (error) => error instanceof PacecarError && error.code === code && reason.test(error.message),
      );
    refused(action('scan', { batch: 5 }), 'UNSUPPORTED', /the driver memcached has no scan/);
    refused(action('expire'), 'REQUEST_INVALID', /expire\) needs a time to live/);
  });
});
