import { nearest } from '@pacecar/protocol';
import { under } from '../findings.js';
import { REDIS_TESTS, type RedisTest } from './redis-benchmark.js';
import { shown } from '../quantity/decimal.js';
import type { Reader } from '../reader.js';
import type { SourceNode } from '../source-tree.js';

/** Short names of several tests, as redis-benchmark has them. */
const GROUPS: Readonly<Record<string, readonly RedisTest[]>> = {
  PING: ['PING_INLINE', 'PING_MBULK'],
  LRANGE: ['LRANGE_100', 'LRANGE_300', 'LRANGE_500', 'LRANGE_600'],
};

/** Reads `tests`; all of them if nothing is written. Names in small letters are those of redis-benchmark's -t. */
export function readRedisTests(
  node: SourceNode | undefined,
  path: string,
  reader: Reader,
): readonly RedisTest[] {
  if (node === undefined) return REDIS_TESTS;
  const items = reader.list(node, path, 'tests such as [SET, GET]');
  if (node.kind === 'list' && items.length === 0)
    reader.findings.of(path, `names no test; allowed: ${REDIS_TESTS.join(', ')}`);
  return items.flatMap((item, index) => {
    const place = under(path, index);
    const text = reader.text(item, place, 'the name of a test')?.text;
    if (text === undefined) return [];
    const name = text.toUpperCase();
    const group = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
    const test = REDIS_TESTS.find((candidate) => candidate === name);
    if (group !== undefined) return group;
    if (test !== undefined) return [test];
    const known = [...REDIS_TESTS, ...Object.keys(GROUPS)];
    const near = nearest(name, known);
    reader.findings.at(
      item.at,
      place,
      `there is no test ${shown(text)}${near === null ? '' : `; did you mean ${near}?`}; allowed: ${known.join(', ')}`,
    );
    return [];
  });
}
