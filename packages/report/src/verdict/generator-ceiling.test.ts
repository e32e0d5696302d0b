import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Calibration,
  type CalibrationCell,
  CALIBRATION_VERSION,
  PACECAR_VERSION,
  type Plan,
} from '@pacecar/protocol';
import fc from 'fast-check';
import {
  changed,
  measureStage,
  type SampleRow,
  type SampleWorker,
  sampleBundle,
  samplePlan,
} from '../sample-run.test.data.js';
import { summarize } from '../summary/summarize.js';
import { ceilingOf, type Demand } from './ceiling.js';

/** A generator that is its own limit: the time for an operation is 1 us, 8 us a batch and 1 ns a byte. */
function cell(changes: Partial<CalibrationCell> = {}): CalibrationCell {
  const { depth, valueBytes } = { depth: 1, valueBytes: 100, ...changes };
  const cpuUsPerOperation = 1 + 8 / depth + valueBytes / 1_000;
  return {
    driver: 'resp',
    operation: 'get',
    threads: 1,
    connections: 50,
    depth,
    valueBytes,
    operationsPerSec: 1e6 / cpuUsPerOperation,
    cpuUsPerOperation,
    bytesPerOperation: valueBytes,
    generatorCores: 1,
    targetCores: 0.5,
    limitedBy: 'generator',
    ...changes,
  };
}

function calibration(cells: readonly CalibrationCell[], cpuCount = 4): Calibration {
  return {
    calibrationVersion: CALIBRATION_VERSION,
    measuredAt: '2026-01-31T11:00:00.000Z',
    machine: {
      hostname: 'host-1',
      platform: 'linux',
      architecture: 'x64',
      cpuModel: 'Sample CPU',
      cpuCount,
      nodeVersion: 'v20.20.2',
      pacecarVersion: PACECAR_VERSION,
    },
    cells,
  };
}

const GRID = [1, 8, 64].flatMap((depth) =>
  [100, 1_000, 10_000].map((valueBytes) => cell({ depth, valueBytes })),
);
const asked: Demand = { driver: 'resp', operation: 'get', threads: 1, depth: 8, bytes: 1_000 };

function perSec(of: Calibration, demand: Demand): number {
  const ceiling = ceilingOf(of, demand);
  if (typeof ceiling === 'string') return assert.fail(ceiling);
  return ceiling.perSec;
}

describe('the ceiling between calibrated cells', () => {
  test('is that of a cell where there is one, and names it', () => {
    const ceiling = ceilingOf(calibration(GRID), asked);
    assert.deepEqual(ceiling, { perSec: 1e6 / 3, from: 'depth 8, 1,000 B' });
  });
  test('is exact for any depth and size where costs are lines in 1 / depth and bytes', () => {
    const demands = fc.record({
      depth: fc.integer({ min: 1, max: 64 }),
      bytes: fc.integer({ min: 100, max: 10_000 }),
    });
    fc.assert(
      fc.property(demands, ({ depth, bytes }) => {
        const expected = 1e6 / (1 + 8 / depth + bytes / 1_000);
        const actual = perSec(calibration(GRID), { ...asked, depth, bytes });
        assert.ok(Math.abs(actual / expected - 1) < 1e-9, `${actual} is not ${expected}`);
      }),
    );
  });
  test('is that of the last cell past the ends of depth, and of the smallest size', () => {
    assert.equal(perSec(calibration(GRID), { ...asked, depth: 1_000, bytes: 1 }), 1e6 / (1 + 8 / 64 + 0.1));
  });
  for (const [what, demand, reason] of [
    ['another driver', { driver: 'other' }, 'driver other is not in its calibration'],
    ['an operation without cells', { operation: 'put' }, 'driver resp is not in its calibration'],
    [
      'far larger values',
      { bytes: 20_001 },
      'operations of 20,001 B are larger than those of its calibration',
    ],
    [
      'more threads than calibrated',
      { threads: 2 },
      '2 engine threads are more than the 1 that were calibrated',
    ],
  ] as const)
    test(`is unknown for ${what}`, () => {
      assert.equal(ceilingOf(calibration(GRID), { ...asked, ...demand }), reason);
    });
  test('is unknown for pipelines much deeper than those that were calibrated', () => {
    const shallow = calibration(GRID.filter(({ depth }) => depth <= 8));
    assert.equal(
      ceilingOf(shallow, { ...asked, depth: 64 }),
      'depth 64 is deeper than those of its calibration',
    );
  });
  test('where the target was the limit it is what the CPU time leaves room for', () => {
    const held = cell({ operationsPerSec: 50_000, cpuUsPerOperation: 8, limitedBy: 'target' });
    assert.equal(perSec(calibration([held]), { ...asked, depth: 1, bytes: 100 }), 125_000);
  });
  test('grows with threads as far as it was measured to, and between; no further than the cores', () => {
    const one = cell();
    const two = cell({ threads: 2, operationsPerSec: one.operationsPerSec * 1.8, cpuUsPerOperation: 20 });
    const four = cell({ threads: 4, operationsPerSec: one.operationsPerSec * 3, cpuUsPerOperation: 20 });
    const of = calibration([one, two, four]);
    const factor = (threads: number) =>
      perSec(of, { ...asked, depth: 1, bytes: 100, threads }) / one.operationsPerSec;
    for (const [threads, expected] of [
      [1, 1],
      [2, 1.8],
      [3, 2.4],
      [4, 3],
      [64, 3],
    ] as const)
      assert.ok(Math.abs(factor(threads) - expected) < 1e-9, `${threads} threads`);
  });
});

describe('workers near their ceiling', () => {
  const row: SampleRow = { operation: 'get', ok: [[1_000_000, 900]] };
  const worker: SampleWorker = { frames: [[row], [row]] };

  /** 900 gets a second, which receive some bytes each as the sample says. */
  function judged(operationsPerSec: number | null, changes: Partial<Plan> = {}) {
    const bundle = sampleBundle(samplePlan(1, changes), [{ stage: 0, workers: [worker] }]);
    const known =
      operationsPerSec === null
        ? null
        : calibration([
            cell({ operationsPerSec, cpuUsPerOperation: 1e6 / operationsPerSec, bytesPerOperation: 1e6 }),
          ]);
    const events = bundle.events.map((event) =>
      event.type === 'worker-joined' ? { ...event, calibration: known } : event,
    );
    return summarize(changed(bundle, { events }));
  }
  const findings = (summary: ReturnType<typeof judged>) =>
    [...summary.verdict.reasons, ...summary.verdict.evidence].filter(
      ({ rule }) => rule === 'generator-ceiling',
    );

  test('within 10 %: DEGRADED, with the figures and the cells that it was held against', () => {
    const summary = judged(1_000);
    const [finding] = findings(summary);
    assert.equal(summary.verdict.status, 'DEGRADED');
    assert.equal(finding?.level, 'DEGRADED');
    assert.equal(
      finding?.text,
      'worker clients-1 was the limit in measure: it sent 900 operations/s, 90 % of its calibrated ceiling of 1.00k/s ' +
        "(depth 1, 100 B); more engine threads or workers are needed to see the target's limit",
    );
    assert.equal(finding?.figures['ceilingPerSec'], 1_000);
    assert.equal(finding?.figures['sentPerSec'], 900);
  });
  test('further away: VALID, and said so', () => {
    const summary = judged(1_001);
    assert.equal(summary.verdict.status, 'VALID');
    assert.match(
      findings(summary)[0]?.text ?? '',
      /^no worker was near its ceiling: clients-1 sent 900 operations\/s/,
    );
    assert.doesNotMatch(summary.notes.join('\n'), /Ceiling/);
  });
  test('a mix takes of the ceiling what each of its operations takes', () => {
    const both: SampleRow[] = [row, { operation: 'put', ok: [[1_000_000, 100]] }];
    const bundle = sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [both, both] }] }]);
    const cost = (perSec: number) => ({
      operationsPerSec: perSec,
      cpuUsPerOperation: 1e6 / perSec,
      bytesPerOperation: 1e6,
    });
    const known = calibration([cell(cost(1_800)), cell({ operation: 'put', ...cost(200) })]);
    const events = bundle.events.map((event) =>
      event.type === 'worker-joined' ? { ...event, calibration: known } : event,
    );
    const [finding] = findings(summarize(changed(bundle, { events })));
    assert.equal(finding?.level, 'DEGRADED');
    assert.equal(finding?.figures['share'], 1);
  });
  test('without a calibration nothing is judged, and a note says how it could be', () => {
    const summary = judged(null);
    assert.equal(summary.verdict.status, 'VALID');
    assert.deepEqual(findings(summary), []);
    assert.match(
      summary.notes.join('\n'),
      /^Ceiling of clients-1 unknown: there is no calibration\. .*pacecar calibrate/m,
    );
  });
  test('a load stage is not judged', () => {
    const cells = [
      {
        index: 0,
        configuration: 'redis7',
        repetition: 0,
        coordinates: {},
        stages: [{ ...measureStage, kind: 'load' as const }],
      },
    ];
    assert.deepEqual(findings(judged(900, { cells })), []);
  });
});
