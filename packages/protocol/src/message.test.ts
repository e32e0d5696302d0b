import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { z } from 'zod';
import { LIMITS } from './limits.js';
import { CoordinatorMessageSchema, parseMessage, WorkerMessageSchema } from './message.js';
import { COORDINATOR_EXAMPLES, WORKER_EXAMPLES } from './reference/examples.js';

const directions: readonly [string, z.ZodType, Readonly<Record<string, object>>][] = [
  ['of a worker', WorkerMessageSchema, WORKER_EXAMPLES],
  ['of a coordinator', CoordinatorMessageSchema, COORDINATOR_EXAMPLES],
];

/** Values of every JSON type, and the numbers that are none. */
const JUNK: readonly unknown[] = [
  undefined,
  null,
  true,
  -2,
  0.5,
  2 ** 60,
  '',
  'x'.repeat(20_001),
  [],
  {},
  [null],
  { type: 'x' },
];

for (const [whose, schema, examples] of directions)
  describe(`messages ${whose}`, () => {
    for (const [type, example] of Object.entries(examples)) {
      test(`${type}: its example is taken as it is`, () => {
        const result = parseMessage(schema, JSON.stringify(example));
        assert.deepEqual(result, { ok: true, message: example });
      });

      test(`${type}: with a field missing it is invalid, and the reason names the field`, () => {
        for (const field of Object.keys(example)) {
          const rest: Record<string, unknown> = { ...example };
          delete rest[field];
          const result = parseMessage(schema, JSON.stringify(rest));
          assert.ok(!result.ok && result.code === 'MESSAGE_INVALID', field);
          assert.ok(result.reason.includes(field), `${field}: ${result.reason}`);
        }
      });

      test(`${type}: junk in a field is invalid or a value that the schema allows, never an exception`, () => {
        for (const field of Object.keys(example))
          for (const junk of JUNK) {
            const result = parseMessage(schema, JSON.stringify({ ...example, [field]: junk }));
            if (result.ok) assert.deepEqual((result.message as Record<string, unknown>)[field], junk);
            else assert.equal(result.code, 'MESSAGE_INVALID');
          }
      });
    }

    test('fields that are not known are left out, so that later versions may add some', () => {
      const [type, example] = Object.entries(examples)[0] as [string, object];
      const result = parseMessage(schema, JSON.stringify({ ...example, fromTheFuture: 1 }));
      assert.deepEqual(result, { ok: true, message: example }, type);
    });

    test('garbage is a value, never an exception', () => {
      const garbage = fc.oneof(
        fc.string({ maxLength: 200 }),
        fc.json(),
        fc.constantFrom(
          '',
          '{',
          'null',
          '[]',
          '{"type":"nothing"}',
          '{"type":"hello"}',
          '"hello"',
          '{"__proto__":1}',
        ),
      );
      fc.assert(
        fc.property(garbage, (text) => {
          const result = parseMessage(schema, text);
          assert.ok(!result.ok && result.code === 'MESSAGE_INVALID' && result.reason.length > 0);
        }),
        { numRuns: 1_000 },
      );
    });

    test('one that is longer than the limit is not even parsed', () => {
      const result = parseMessage(schema, `"${'x'.repeat(LIMITS.controlMessageBytes)}"`);
      assert.ok(!result.ok && result.code === 'LIMIT_EXCEEDED');
    });
  });

describe('limits of messages', () => {
  test('an arm at the limits of a stage fits into a control message', () => {
    const { arm } = COORDINATOR_EXAMPLES;
    const [workload] = arm.spec.workloads;
    const name = '€'.repeat(LIMITS.nameLength);
    const largest = {
      ...arm,
      spec: {
        ...arm.spec,
        workloads: Array.from({ length: LIMITS.workloadsPerStage }, () => ({ ...workload, name })),
      },
    };
    assert.ok(parseMessage(CoordinatorMessageSchema, JSON.stringify(largest)).ok);
    const tooMany = {
      ...largest,
      spec: { ...largest.spec, workloads: [...largest.spec.workloads, workload] },
    };
    assert.ok(!parseMessage(CoordinatorMessageSchema, JSON.stringify(tooMany)).ok);
  });

  test('names are bounded and have no control characters', () => {
    const { hello } = WORKER_EXAMPLES;
    for (const [name, ok] of [
      ['<b>&"\'/..\\', true],
      ['x'.repeat(100), true],
      ['x'.repeat(101), false],
      ['', false],
      ['a\nb', false],
      ['a\u001b[31m', false],
      ['a\u0085b', false],
    ] as const)
      assert.equal(
        parseMessage(WorkerMessageSchema, JSON.stringify({ ...hello, name })).ok,
        ok,
        JSON.stringify(name),
      );
  });
});
