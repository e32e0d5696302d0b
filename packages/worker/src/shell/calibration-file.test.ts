import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { type Calibration, CALIBRATION_VERSION, PacecarError } from '@pacecar/protocol';
import {
  calibrationMachine,
  calibrationPath,
  readCalibration,
  writeCalibration,
} from './calibration-file.js';
import { hostFacts } from './host-facts.js';

const here = calibrationMachine(hostFacts());
const made: Calibration = {
  calibrationVersion: CALIBRATION_VERSION,
  measuredAt: '2026-01-31T11:00:00.000Z',
  machine: here,
  cells: [],
};

function fileIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pacecar-calibration-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'state', 'calibration.json');
}

describe('where a calibration is', () => {
  const below = join('pacecar', 'calibration.json');
  for (const [what, environment, path] of [
    [
      'the file that PACECAR_CALIBRATION names',
      { PACECAR_CALIBRATION: 'mine.json', XDG_STATE_HOME: '/s' },
      'mine.json',
    ],
    ['XDG_STATE_HOME', { PACECAR_CALIBRATION: '', XDG_STATE_HOME: '/s' }, join('/s', below)],
    [
      'the home, for a relative XDG_STATE_HOME',
      { XDG_STATE_HOME: 's' },
      join(homedir(), '.local/state', below),
    ],
    ['the home', {}, join(homedir(), '.local/state', below)],
  ] as const)
    test(what, () => assert.equal(calibrationPath(environment), path));
});

describe('a calibration', () => {
  test('comes back as it was written, and no draft is left', (t) => {
    const path = fileIn(t);
    writeCalibration(path, made);
    assert.deepEqual(readCalibration(path, here), { calibration: made, problem: null });
    assert.deepEqual(readdirSync(dirname(path)), ['calibration.json']);
  });
  test('that is not there is no problem', (t) => {
    assert.deepEqual(readCalibration(fileIn(t), here), { calibration: null, problem: null });
  });
  for (const [fact, other] of [
    ['hostname', 'elsewhere'],
    ['cpuModel', 'Another CPU'],
    ['cpuCount', here.cpuCount + 1],
    ['nodeVersion', 'v0.0.1'],
    ['pacecarVersion', '0.0.1'],
  ] as const)
    test(`of another ${fact} is not used, and why`, (t) => {
      const path = fileIn(t);
      writeCalibration(path, { ...made, machine: { ...here, [fact]: other } });
      const { calibration, problem } = readCalibration(path, here);
      assert.equal(calibration, null);
      assert.ok(problem?.includes(`(${fact} is ${here[fact]}, not ${other})`), problem ?? '');
      assert.match(problem ?? '', /run: pacecar calibrate$/);
    });
  for (const [what, text, why] of [
    ['that is not JSON', '{', /it is not JSON/],
    ['of another form', JSON.stringify({ ...made, calibrationVersion: 2 }), /calibrationVersion/],
  ] as const)
    test(`${what} is not used, and why`, (t) => {
      const path = fileIn(t);
      writeCalibration(path, made);
      writeFileSync(path, text);
      const { calibration, problem } = readCalibration(path, here);
      assert.equal(calibration, null);
      assert.match(problem ?? '', why);
    });
  test('that cannot be written is STORAGE, with the path', (t) => {
    const path = fileIn(t);
    writeCalibration(path, made);
    const below = join(path, 'calibration.json');
    assert.throws(
      () => writeCalibration(below, made),
      (error) => error instanceof PacecarError && error.code === 'STORAGE' && error.message.includes(below),
    );
  });
});
