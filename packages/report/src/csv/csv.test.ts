import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { measureStage, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import { summarize } from '../summary/summarize.js';
import { renderCsv, timelineCsv } from './csv.js';
import { csvField, csvTable } from './field.js';

/** A reader by the letter of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[i + 1] === '"') {
        field += '"';
        i++;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',') {
      row.push(field);
      field = '';
    } else if (character === '\r' && text[i + 1] === '\n') {
      row.push(field);
      rows.push(row);
      row = [];
      field = '';
      i++;
    } else field += character;
  }
  assert.equal(field, '', 'the last line ends');
  return rows;
}

const hostile = '=HYPERLINK("http://x","a"),"b"';
const bundle = sampleBundle(
  samplePlan(2, {
    cells: [
      {
        index: 0,
        configuration: 'redis7',
        repetition: 0,
        coordinates: { size: 100, mode: '@SUM(A1)' },
        stages: [{ ...measureStage, name: hostile }],
      },
    ],
  }),
  [
    {
      stage: 0,
      workers: [
        { frames: [[{ operation: 'get', ok: [[1_500, 3]], misses: 1, errors: { OOM: 2, ERR: 1 } }]] },
        { frames: [[{ operation: 'get', ok: [[2_500, 3]] }]], elapsedNs: 1_500_000_000 },
      ],
    },
  ],
);
const summary = summarize(bundle);

/** Rows as records. */
function records(text: string): Record<string, string>[] {
  const [head = [], ...rows] = parse(text);
  return rows.map((row) => {
    assert.equal(row.length, head.length);
    return Object.fromEntries(head.map((name, index) => [name, row[index] ?? '']));
  });
}

test('one line for each operation and a total, numbers with dots, nothing where there is no data', () => {
  const rows = records(renderCsv(summary));
  assert.deepEqual(
    rows.map((row) => row['operation']),
    ['get', 'put', 'total'],
  );
  const [get, put] = rows;
  assert.equal(get?.['sent'], '9');
  assert.equal(get?.['misses'], '1');
  assert.equal(get?.['errors_by_kind'], 'ERR=1;OOM=2');
  assert.equal(get?.['throughput_per_sec'], '4');
  assert.equal(get?.['elapsed_ms'], '1500');
  assert.equal(get?.['service_max_ns'], '2500');
  assert.equal(get?.['coordinate.size'], '100');
  assert.equal(get?.['verdict'], 'DEGRADED');
  assert.equal(put?.['service_p50_ns'], '');
  assert.equal(put?.['hits'], '');
});

test('a name that a spreadsheet would run is quoted and disarmed', () => {
  const [row] = records(renderCsv(summary));
  assert.equal(row?.['stage'], `'${hostile}`);
  assert.equal(row?.['coordinate.mode'], "'@SUM(A1)");
});

test('the table of workers has a line for each operation of each worker', () => {
  const rows = records(renderCsv(summary, 'workers'));
  assert.deepEqual(
    rows.map((row) => [row['worker_name'], row['host'], row['operation'], row['sent']]),
    [
      ['clients-1', 'host-1', 'get', '6'],
      ['clients-1', 'host-1', 'put', '0'],
      ['clients-1', 'host-1', 'total', '6'],
      ['clients-2', 'host-2', 'get', '3'],
      ['clients-2', 'host-2', 'put', '0'],
      ['clients-2', 'host-2', 'total', '3'],
    ],
  );
});

test('the timeline has a line for each interval and operation', () => {
  const rows = records(timelineCsv(summary));
  assert.deepEqual(
    rows.map((row) => [row['operation'], row['interval'], row['ok'], row['failures'], row['max_ns']]),
    [
      ['get', '0', '6', '3', '2500'],
      ['put', '0', '0', '0', ''],
      ['total', '0', '6', '3', '2500'],
    ],
  );
});

test('any texts come back from a reader of RFC 4180, and no field starts a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string()), { minLength: 1, maxLength: 5 }),
      (rows) => {
        const [, ...read] = parse(csvTable(['a', 'b'], rows));
        assert.deepEqual(
          read,
          rows.map((row) => row.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))),
        );
      },
    ),
  );
});

test('numbers are not taken for texts', () => {
  assert.equal(csvField(-1.5), '-1.5');
  assert.equal(csvField(false), 'false');
});
