import { EXIT, withoutSecrets } from '@pacecar/protocol';
import { Command } from 'commander';
import { writeError, writeOut } from '../terminal/output.js';
import type { ScenarioFlags } from '../run/scenario-file.js';
import { HELP_GROUPS } from './help-group.js';
import { withScenarioFlags } from './run.js';

interface ValidateOptions extends ScenarioFlags {
  readonly json?: true;
}

export function validateCommand(): Command {
  const command = new Command('validate')
    .summary('check a scenario and print its plan')
    .description('Checks a scenario and prints the plan that it makes, with every default. Sends nothing.')
    .helpGroup(HELP_GROUPS.runs)
    .argument('<scenario>', 'the YAML file');
  return withScenarioFlags(command)
    .option('--json', 'print the plan, or the problems, as JSON')
    .addHelpText(
      'after',
      `
Examples:
  pacecar validate mine.yaml
  pacecar validate mine.yaml --set host=10.0.0.5 --json | jq .plan.cells`,
    )
    .action(async (file: string, options: ValidateOptions) => {
      process.exitCode = await validate(file, options);
    });
}

async function validate(file: string, options: ValidateOptions): Promise<number> {
  const [{ loadScenarioFile, ScenarioRejected }, { describePlan }] = await Promise.all([
    import('../run/scenario-file.js'),
    import('@pacecar/scenario'),
  ]);
  try {
    const { plan, warnings } = loadScenarioFile(file, options);
    if (options.json === true) {
      await writeOut(`${JSON.stringify({ valid: true, warnings, plan: withoutSecrets(plan) }, null, 2)}\n`);
    } else {
      for (const warning of warnings) writeError(`warning: ${warning}\n`);
      await writeOut(`${describePlan(plan)}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    if (options.json !== true || !(error instanceof ScenarioRejected)) throw error;
    await writeOut(`${JSON.stringify({ valid: false, problems: error.problems }, null, 2)}\n`);
    return error.exitCode;
  }
}
