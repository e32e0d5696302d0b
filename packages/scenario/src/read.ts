import { type DriverDescription, PacecarError, type Plan } from '@pacecar/protocol';
import type { Problem } from './problem.js';

export interface ScenarioInput {
  /** The YAML. */
  readonly text: string;
  /** Its name, for messages and as the default of `name`. */
  readonly file: string;
  /** `--set name=value`. */
  readonly set: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly drivers: readonly DriverDescription[];
  /** `--group name=n`: overrides the sizes of groups. */
  readonly groupSizes?: Readonly<Record<string, number>>;
  /** `--workers n`: the size of the only group. */
  readonly workers?: number;
}

export type ScenarioResult =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly warnings: readonly string[];
      /** The YAML with literal passwords replaced by `***`: what a bundle may keep. */
      readonly publicText: string;
      /** Names given by `--set` whose values are passwords: a recorded command line must hide them. */
      readonly secretSets: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a scenario into a plan, or into every problem that it has, in order of position. Pure. */
export function readScenario(_input: ScenarioInput): ScenarioResult {
  throw new PacecarError('INTERNAL', 'scenarios cannot be read yet');
}
