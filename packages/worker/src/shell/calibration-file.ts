import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import {
  type Calibration,
  CalibrationSchema,
  calibrationDifferences,
  type CalibrationMachine,
  type HostFacts,
  PacecarError,
  systemReason,
} from '@pacecar/protocol';

/** What is known of the ceiling of this machine, and what a person should know of the file that does not say it. */
export interface KnownCeiling {
  readonly calibration: Calibration | null;
  readonly problem: string | null;
}

/** `PACECAR_CALIBRATION`; else `pacecar/calibration.json` in XDG_STATE_HOME, or in `.local/state` of the home. */
export function calibrationPath(environment: NodeJS.ProcessEnv): string {
  const named = environment['PACECAR_CALIBRATION'] ?? '';
  if (named !== '') return named;
  const state = environment['XDG_STATE_HOME'] ?? '';
  // A relative one is to be ignored, says the standard that it is from.
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'pacecar', 'calibration.json');
}

/** Of all that a host says of itself, what a ceiling depends on. */
export function calibrationMachine(facts: HostFacts): CalibrationMachine {
  const { hostname, platform, architecture, cpuModel, cpuCount, nodeVersion, pacecarVersion } = facts;
  return { hostname, platform, architecture, cpuModel, cpuCount, nodeVersion, pacecarVersion };
}

/** The calibration in a file, if it was made on this machine by this program. No file is no problem. */
export function readCalibration(path: string, here: CalibrationMachine): KnownCeiling {
  const unused = (why: string): KnownCeiling => ({
    calibration: null,
    problem: `the calibration ${path} is not used: ${why}; run: pacecar calibrate`,
  });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    const missing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return missing ? { calibration: null, problem: null } : unused(systemReason(thrown));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unused('it is not JSON');
  }
  const parsed = CalibrationSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return unused(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not one'}`);
  }
  const different = calibrationDifferences(parsed.data.machine, here);
  return different.length > 0
    ? unused(`it was made elsewhere (${different.join(', ')})`)
    : { calibration: parsed.data, problem: null };
}

/** Writes the file whole or not at all. Throws PacecarError STORAGE. */
export function writeCalibration(path: string, calibration: Calibration): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, `${JSON.stringify(calibration, null, 2)}\n`);
    renameSync(draft, path);
  } catch (thrown) {
    throw new PacecarError('STORAGE', `${path} cannot be written: ${systemReason(thrown)}`, {
      cause: thrown,
    });
  }
}
