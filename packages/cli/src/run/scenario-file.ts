import { readFileSync } from 'node:fs';
import { PacecarError, type Plan, systemReason } from '@pacecar/protocol';
import { formatProblems, type Problem, readScenario } from '@pacecar/scenario';
import { DRIVERS } from '@pacecar/worker';

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
  return loadScenario(text, file, process.env, flags);
}

/** Reads a scenario's text; `file` is its name in messages. */
export function loadScenario(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  flags: ScenarioFlags,
): LoadedScenario {
  const result = readScenario({
    text,
    file,
    set: flags.set ?? {},
    env,
    drivers: DRIVERS,
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
