import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearCacheText } from './near-cache-text.js';

type Row = Parameters<typeof nearCacheText>[0]['rows'][number];
const row = (figures: Partial<Row>): Row =>
  ({ workload: 'main', operation: 'get', hits: 0, misses: 0, ...figures }) as Row;

test('what near caches answered stands beside what the target was asked', () => {
  const get = row({ hits: 900, misses: 100, notes: { NEAR_CACHE: 750 } });
  assert.equal(nearCacheText({ rows: [row({}), row({ operation: 'put' })] }), null);
  assert.equal(
    nearCacheText({ rows: [get, row({ operation: 'put' })] }),
    'answered by the clients themselves: get 750 of 1,000 (75 %), the target 250',
  );
  // Reads within a write are no hits and no misses.
  const update = row({ operation: 'updateRecord', hits: null, misses: null, notes: { NEAR_CACHE: 3 } });
  assert.equal(
    nearCacheText({ rows: [get, { ...update, workload: 'other' }] }),
    'answered by the clients themselves: main get 750 of 1,000 (75 %), the target 250; other updateRecord 3',
  );
});
