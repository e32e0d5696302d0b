import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PacecarError, type Plan, systemReason } from '@pacecar/protocol';
import { formatProblems, type Problem, readScenario } from '@pacecar/scenario';
import { DRIVERS, RECIPE_DESCRIPTIONS } from '@pacecar/worker';

/** What flags change of a scenario. */
export interface ScenarioFlags {
  readonly set?: Readonly<Record<string, string>>;
  readonly group?: Readonly<Record<string, number>>;
  readonly workers?: number;
}

export interface LoadedScenario {
  readonly plan: Plan;
  readonly warnings: readonly string[];
  /** Without its secrets. */
  readonly text: string;
  readonly secretSets: readonly string[];
}

/** Thrown for a scenario with faults: every one of them, also as data for `--json`. */
export class ScenarioRejected extends PacecarError {
  readonly problems: readonly Problem[];
  constructor(file: string, problems: readonly Problem[]) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    super(
      problems[0]?.code ?? 'REQUEST_INVALID',
      `${count} in ${file}, nothing was sent\n${formatProblems(problems)}`,
    );
    this.problems = problems;
  }
}

/** Reads a scenario file. Throws REQUEST_INVALID if there is no such file, ScenarioRejected for its faults. */
export function loadScenarioFile(file: string, flags: ScenarioFlags): LoadedScenario {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PacecarError('REQUEST_INVALID', `the scenario ${file} cannot be read: ${systemReason(error)}`, {
      cause: error,
    });
  }
  return loadScenario(text, file, process.env, flags, (path) => readBeside(resolve(dirname(file), path)));
}

/** A day of rates by seconds is a twentieth of it; a device or a disk image is no list of rates. */
const LARGEST_FILE_BYTES = 32 * 1024 * 1024;

/** The text of a file that a scenario names; null if it cannot be read. */
function readBeside(path: string): string | null {
  try {
    const facts = statSync(path);
    return facts.isFile() && facts.size <= LARGEST_FILE_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** Reads a scenario's text; `file` is its name in messages, `files` finds what it names. */
export function loadScenario(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  flags: ScenarioFlags,
  files: (path: string) => string | null = () => null,
): LoadedScenario {
  const result = readScenario({
    text,
    file,
    set: flags.set ?? {},
    env,
    drivers: DRIVERS,
    recipes: RECIPE_DESCRIPTIONS,
    files,
    ...(flags.group === undefined ? {} : { groupSizes: flags.group }),
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
  });
  if (!result.ok) throw new ScenarioRejected(file, result.problems);
  return {
    plan: result.plan,
    warnings: result.warnings,
    text: result.publicText,
    secretSets: result.secretSets,
  };
}
