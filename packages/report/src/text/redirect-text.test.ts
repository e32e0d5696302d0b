import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectText } from './redirect-text.js';

type Row = Parameters<typeof redirectText>[0]['rows'][number];
const row = (figures: Partial<Row>): Row => ({ workload: 'main', operation: 'get', ...figures }) as Row;

test('redirects of a cluster stand by operation, and nowhere without one', () => {
  assert.equal(redirectText({ rows: [row({}), row({ notes: { NEAR_CACHE: 3 } })] }), null);
  const get = row({ notes: { MOVED: 1_200, RETRIED: 3 } });
  assert.equal(redirectText({ rows: [get] }), 'get 1,200 moved, 3 said again');
  const put = row({ workload: 'other', operation: 'put', notes: { ASK: 2 } });
  assert.equal(redirectText({ rows: [get, put] }), 'main get 1,200 moved, 3 said again; other put 2 asked');
});
