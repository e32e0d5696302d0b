import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from './amount.js';
import { readCount } from './count.js';
import { readDuration, readLatency } from './duration.js';
import { readKeyRange } from './key-range.js';
import { readObjective } from './objective.js';
import { readRate } from './rate.js';
import { readRatio } from './ratio.js';
import type { Reading } from './reading.js';
import { readSize } from './size.js';
import { readWeight } from './weight.js';

type Accepted<T> = readonly (readonly [text: string, value: T, why: string])[];
type Refused = readonly (readonly [text: string, problem: RegExp, why: string])[];

function table<T>(
  name: string,
  reader: (text: string) => Reading<T>,
  accepted: Accepted<T>,
  refused: Refused,
) {
  test(name, async (t) => {
    for (const [text, value, why] of accepted)
      await t.test(`${JSON.stringify(text)}: ${why}`, () =>
        assert.deepEqual(reader(text), { ok: true, value }),
      );
    for (const [text, problem, why] of refused)
      await t.test(`${JSON.stringify(text)} is refused: ${why}`, () => {
        const reading = reader(text);
        assert.ok(!reading.ok, `read as ${JSON.stringify(reading)}`);
        assert.match(reading.problem, problem);
      });
  });
}

table<number>(
  'a count',
  (text) => readCount(text),
  [
    ['0', 0, 'zero is a count'],
    ['4000000', 4_000_000, 'digits'],
    ['4_000_000', 4_000_000, 'underscores group digits'],
    ['4M', 4_000_000, 'M is a million'],
    ['100k', 100_000, 'k is a thousand'],
    ['2G', 2_000_000_000, 'G is a thousand millions'],
    ['1.5M', 1_500_000, 'a fraction that gives a whole number'],
    ['100 k', 100_000, 'a blank before the unit'],
    ['9007199254740991', 9_007_199_254_740_991, '2^53-1 is the largest'],
    ['9007199254740.991k', 9_007_199_254_740_991, 'the same with a unit, exact'],
  ],
  [
    ['9007199254740992', /out of range.*9007199254740991 \(2\^53-1\)/, '2^53 may have been 2^53+1'],
    ['9007199254740993', /"9007199254740993" is out of range/, 'it would be rounded to ...992'],
    ['1.2345678M', /not a whole number/, 'there is no fifth of an operation'],
    ['0.5', /not a whole number/, 'halves do not count'],
    ['-1', /is negative/, 'a count is not negative'],
    ['1,000', /write 1_000/, 'commas belong to one country only'],
    ['4e6', /written 4M or 4_000_000/, 'no powers of ten'],
    ['100K', /small k/, 'K could be 1024'],
    ['4m', /capital M/, 'm could be a minute'],
    ['1__0', /not a count/, 'one underscore at a time'],
    ['_1', /not a count/, 'an underscore stands between digits'],
    ['', /nothing is written/, 'nothing'],
    ['0x10', /not a count/, 'no hexadecimal'],
    ['NaN', /not a count/, 'not a number'],
    ['Infinity', /not a count/, 'endless'],
    ['9'.repeat(500), /not a count/, 'absurdly long'],
    ['10 apples', /not a count/, 'an unknown unit'],
    ['10\u00a0k', /no-break space \(U\+00A0\).*plain space/, 'pasted from a web page'],
  ],
);

table<number>(
  'a duration, ms',
  (text) => readDuration(text),
  [
    ['500ms', 500, 'milliseconds'],
    ['10s', 10_000, 'seconds'],
    ['1m30s', 90_000, 'units add up'],
    ['1m 30s', 90_000, 'a blank between them'],
    ['2h', 7_200_000, 'hours'],
    ['1d', 86_400_000, 'days'],
    ['1.5s', 1_500, 'a fraction'],
    ['0.1s', 100, 'a fraction that binary cannot hold'],
    ['0s', 0, 'none'],
  ],
  [
    ['500', /has no unit: write 500s for seconds or 500ms/, 'nobody can tell what it counts'],
    ['1.5', /has no unit/, 'the same with a fraction'],
    ['-5s', /is negative/, 'time does not run back'],
    ['10sec', /unit "sec" is unknown; did you mean s\?/, 'another spelling'],
    ['10S', /did you mean s\?/, 'capital'],
    ['5min', /did you mean m\?/, 'another spelling of minutes'],
    ['30s1m', /largest first/, 'units in the wrong order'],
    ['1s1s', /once each/, 'a unit twice'],
    ['250us', /finer than a millisecond/, 'that is for latencies'],
    ['10 parsecs', /unit "parsecs" is unknown/, 'not a time'],
    ['100d', /out of range; allowed: 0s to 31d/, 'longer than a plan holds'],
    ['s', /not a duration/, 'no number'],
    ['', /not a duration/, 'nothing'],
    ['1m30', /not a duration/, 'the last number has no unit'],
    ['10\u2013s', /en dash/, 'pasted from a web page'],
  ],
);

table<number>(
  'a latency, ns',
  readLatency,
  [
    ['5ms', 5_000_000, 'milliseconds'],
    ['250us', 250_000, 'microseconds'],
    ['250µs', 250_000, 'with the sign'],
    ['1ns', 1, 'the least'],
    ['1h', 3_600_000_000_000, 'the most that is recorded'],
  ],
  [
    ['1h1ns', /recorded up to 1h/, 'above the range of the histograms'],
    ['0.1ns', /finer than a nanosecond/, 'below it'],
    ['5', /has no unit/, 'a bare number'],
  ],
);

table(
  'a size, bytes',
  readSize,
  [
    ['100', { minimumBytes: 100, maximumBytes: 100 }, 'a bare number counts bytes'],
    ['100B', { minimumBytes: 100, maximumBytes: 100 }, 'the same'],
    ['10kB', { minimumBytes: 10_000, maximumBytes: 10_000 }, 'k is 1000'],
    ['10KiB', { minimumBytes: 10_240, maximumBytes: 10_240 }, 'Ki is 1024'],
    ['1.5KiB', { minimumBytes: 1_536, maximumBytes: 1_536 }, 'a fraction that gives whole bytes'],
    ['512MiB', { minimumBytes: 536_870_912, maximumBytes: 536_870_912 }, 'the largest'],
    ['100..10000', { minimumBytes: 100, maximumBytes: 10_000 }, 'a range'],
    ['1KiB .. 10KiB', { minimumBytes: 1_024, maximumBytes: 10_240 }, 'with units and blanks'],
    ['0', { minimumBytes: 0, maximumBytes: 0 }, 'an empty value is a value'],
  ],
  [
    ['200..10', /reversed.*10\.\.200/, 'the ends are the wrong way round'],
    ['10k', /ambiguous; kB is 1000 bytes, KiB is 1024/, 'k of what'],
    ['10KB', /ambiguous/, 'which K'],
    ['10M', /MB counts in thousands, MiB in 1024s/, 'which M'],
    ['0.3B', /whole number of bytes/, 'a third of a byte'],
    ['-1', /negative/, 'below nothing'],
    ['1GiB', /allowed: 0 to 512MiB/, 'above what a store holds'],
    ['100-1000', /a range is written 100\.\.1000/, 'a hyphen'],
    ['100\u20131000', /en dash \(U\+2013\).*100\.\.1000/, 'an en dash'],
    ['100..', /both ends/, 'an end is missing'],
    ['1..2..3', /two ends/, 'three ends'],
    ['10bananas', /unit "bananas" is unknown/, 'not a size'],
  ],
);

table<number>(
  'a rate, per second',
  readRate,
  [
    ['20000/s', 20_000, 'per second'],
    ['1M/s', 1_000_000, 'with a unit'],
    ['600/min', 10, 'per minute'],
    ['36/h', 0.01, 'per hour, below one'],
    ['2.5/s', 2.5, 'a fraction'],
    ['20 k / s', 20_000, 'blanks'],
  ],
  [
    ['20000', /per what: 20000\/s/, 'per what'],
    ['600/m', /written \/min/, 'minute or metre'],
    ['5/day', /not "day"/, 'an unknown time'],
    ['10k ops/s', /without a noun/, 'operations are understood'],
    ['0/s', /not above zero/, 'nothing'],
    ['-1/s', /negative/, 'backwards'],
    ['10000G/s', /out of range/, 'more than any machine'],
    ['100K/s', /small k/, 'capital'],
  ],
);

table<number>(
  'a share',
  readRatio,
  [
    ['0.1%', 0.001, 'percent'],
    ['0.001', 0.001, 'a fraction'],
    ['0', 0, 'none'],
    ['100%', 1, 'all'],
    ['12.5 %', 0.125, 'a blank'],
  ],
  [
    ['5', /did you mean 5%\?/, 'percent forgotten'],
    ['101%', /more than the whole/, 'more than all'],
    ['-1%', /negative/, 'less than none'],
    ['half', /not a share/, 'a word'],
    ['1/2', /not a share/, 'a fraction bar'],
  ],
);

table(
  'an amount',
  (text) => readAmount(text),
  [
    ['10 per worker', { count: 10, scope: 'worker' }, 'each has ten'],
    ['60 total', { count: 60, scope: 'total' }, 'all together'],
    ['60 in total', { count: 60, scope: 'total' }, 'the same'],
    ['4M total', { count: 4_000_000, scope: 'total' }, 'with a unit'],
  ],
  [
    ['10', /does not say of what: write "10 per worker".*"10 total"/, 'of what'],
    ['0 total', /out of range; allowed: 1 to/, 'none'],
    ['-3 per worker', /negative/, 'less than none'],
    ['per worker', /not a count/, 'no number'],
    ['10 per thread', /does not say of what/, 'threads share nothing'],
    ['10\u00a0per worker', /no-break space/, 'pasted from a web page'],
    ['9007199254740993 total', /out of range/, 'beyond what is exact'],
  ],
);

table(
  'a key range',
  readKeyRange,
  [
    ['100k', { minimum: 0, maximum: 99_999 }, 'a count begins at 0'],
    ['1..4M', { minimum: 1, maximum: 4_000_000 }, 'both ends included'],
    ['5..5', { minimum: 5, maximum: 5 }, 'one key'],
    ['9007199254740991', { minimum: 0, maximum: 9_007_199_254_740_990 }, 'as many as can be counted'],
  ],
  [
    ['0', /allowed: 1 to/, 'no key at all'],
    ['10..1', /reversed/, 'the wrong way round'],
    ['1-100', /written 1\.\.100/, 'a hyphen'],
    ['0..9007199254740991', /out of range/, 'their number would be 2^53'],
    ['..5', /not a count/, 'an end is missing'],
  ],
);

table(
  'a weight',
  readWeight,
  [
    ['80', { weight: 80, percent: false }, 'a weight'],
    ['12.5', { weight: 12.5, percent: false }, 'a fraction'],
    ['80%', { weight: 80, percent: true }, 'a percentage'],
  ],
  [
    ['0', /leave the operation out/, 'an operation that never runs'],
    ['-1', /negative/, 'less than never'],
    ['120%', /more than the whole/, 'more than always'],
    ['2G', /not a weight/, 'no such unit'],
  ],
);

table(
  'an objective',
  readObjective,
  [
    [
      'get.p99 < 5ms',
      { text: 'get.p99 < 5ms', operation: 'get', metric: 'p99', comparison: '<', threshold: 5_000_000 },
      'a percentile against a latency',
    ],
    [
      'get.p99.9<=250us',
      { text: 'get.p99.9<=250us', operation: 'get', metric: 'p99.9', comparison: '<=', threshold: 250_000 },
      'a point in the metric, no blanks',
    ],
    [
      'total.throughput > 10000/s',
      {
        text: 'total.throughput > 10000/s',
        operation: 'total',
        metric: 'throughput',
        comparison: '>',
        threshold: 10_000,
      },
      'throughput against a rate',
    ],
    [
      'put.errors < 0.1%',
      { text: 'put.errors < 0.1%', operation: 'put', metric: 'errors', comparison: '<', threshold: 0.001 },
      'errors against a share',
    ],
  ],
  [
    ['get.p98 < 5ms', /metric "p98" is unknown; did you mean p9/, 'not measured'],
    ['get.p99 < 5', /has no unit/, 'a bare number'],
    ['get.throughput > 5ms', /not a rate/, 'a latency where a rate belongs'],
    ['get.p99 == 5ms', /not an objective/, 'an unknown comparison'],
    ['get p99 < 5ms', /write operation\.metric/, 'no point'],
    ['', /not an objective/, 'nothing'],
  ],
);
