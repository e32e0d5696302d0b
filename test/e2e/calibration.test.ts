import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Calibration, CalibrationSchema } from '@pacecar/protocol';
import type { Finding, Summary } from '@pacecar/report';
import { pacecar } from './pacecar-process.js';
import { readEvents, readSummary, scenario, Workspace } from './workspace.js';

const RULE = 'generator-ceiling';

describe('pacecar calibrate', () => {
  const workspace = new Workspace();
  const cwd = workspace.path;
  after(() => workspace.remove());
  const file = join(cwd, 'calibration.json');
  let made: Calibration;

  /** One worker on the built-in target, with a calibration or without. */
  async function run(out: string, stages: string, calibration: string | null): Promise<Summary> {
    workspace.write('one.yaml', scenario({ workers: 1, stages }));
    const env = calibration === null ? {} : { PACECAR_CALIBRATION: calibration };
    const ended = await pacecar(['run', 'one.yaml', '--out', out, '--json'], { cwd, env });
    assert.equal(ended.code, 0, ended.stderr);
    return readSummary(ended.stdout);
  }

  /** The same ceilings, each so many times as high. */
  function scaled(name: string, factor: number): string {
    const cells = made.cells.map((cell) => ({
      ...cell,
      operationsPerSec: cell.operationsPerSec * factor,
      cpuUsPerOperation: cell.cpuUsPerOperation / factor,
    }));
    writeFileSync(join(cwd, name), JSON.stringify({ ...made, cells }));
    return join(cwd, name);
  }

  const found = ({ verdict }: Summary): Finding[] =>
    [...verdict.reasons, ...verdict.evidence].filter(({ rule }) => rule === RULE);
  const CLOSED = '[load: { value: 16 }, measure: { value: 16, for: 1s, mix: { get: 3, put: 1 } }]';

  test('measures every Redis driver against the built-in target, and saves it for the workers of this machine', async () => {
    const env = { PACECAR_CALIBRATION: file };
    const ended = await pacecar(['calibrate', '--seconds', '12', '--json'], { cwd, env });
    assert.equal(ended.code, 0, ended.stderr);
    made = CalibrationSchema.parse(JSON.parse(ended.stdout));
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), made);
    assert.match(ended.stderr, /saved in calibration\.json/);
    const first = made.cells.filter(({ driver }) => driver === 'resp');
    // A busy machine does not come to the end of them.
    assert.ok(first.length >= 2, `${first.length} cells of resp`);
    for (const cell of made.cells) {
      assert.ok(cell.bytesPerOperation >= cell.valueBytes, `${cell.bytesPerOperation} B`);
      assert.ok(cell.targetCores > 0 && cell.generatorCores > 0);
    }
  });

  test('prints a table of at most 80 columns, and saves where it is told to', async () => {
    const ended = await pacecar(['calibrate', '--seconds', '4', '--out', 'mine.json'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const lines = ended.stdout.split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
    );
    const cells = CalibrationSchema.parse(JSON.parse(readFileSync(join(cwd, 'mine.json'), 'utf8'))).cells;
    assert.equal(lines.filter((line) => /^(resp|ioredis) +(get|put) /.test(line)).length, cells.length);
  });

  test('a worker at its ceiling: DEGRADED, with the figures; the bundle keeps the calibration', async () => {
    // As of a machine a hundred times slower: what the worker sends is its ceiling, whatever else runs here.
    const summary = await run('near', CLOSED, scaled('slow.json', 0.01));
    const [finding] = found(summary);
    assert.equal(summary.verdict.status, 'DEGRADED');
    assert.equal(finding?.level, 'DEGRADED');
    assert.ok(Number(finding?.figures['share']) >= 0.9);
    assert.match(finding?.text ?? '', /of its calibrated ceiling of .* \(depth 1, 16 /);
    const joined = readEvents(join(cwd, 'near')).find(({ type }) => type === 'worker-joined');
    assert.equal(joined?.type === 'worker-joined' && joined.calibration?.cells.length, made.cells.length);
  });

  test('a schedule at a fraction of the ceiling: no such finding, and the evidence says how far it was', async () => {
    const open = '[load: { value: 16 }, measure: { for: 1s, rate: 200/s, mix: { get: 1 } }]';
    const [finding] = found(await run('far', open, file));
    assert.equal(finding?.level, 'VALID');
    assert.match(finding?.text ?? '', /^no worker was near its ceiling/);
  });

  test('without one, or with one of another machine: nothing is judged, a note says so', async () => {
    const elsewhere = join(cwd, 'elsewhere.json');
    writeFileSync(elsewhere, JSON.stringify({ ...made, machine: { ...made.machine, cpuModel: 'Another' } }));
    for (const [out, calibration] of [
      ['none', null],
      ['other', elsewhere],
    ] as const) {
      const summary = await run(out, CLOSED, calibration);
      assert.deepEqual(found(summary), []);
      assert.match(summary.notes.join('\n'), /^Ceiling of clients-0 unknown: .*pacecar calibrate/m);
    }
    const log = readFileSync(join(cwd, 'other', 'logs', 'worker-0.log'), 'utf8');
    assert.match(log, /is not used: it was made elsewhere \(cpuModel is /);
  });
});
