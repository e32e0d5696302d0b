import { EXIT, LIMITS } from '@pacecar/protocol';
import { Command } from 'commander';
import type { ReportWishes } from '../run/conduct-run.js';
import type { ScenarioFlags } from '../run/scenario-file.js';
import { assignment, countAssignment, wholeNumber } from '../flag.js';
import { HELP_GROUPS } from './help-group.js';
import { surroundingsOf } from './surroundings.js';

/** Flags that change a scenario, for every command that reads one. */
export function withScenarioFlags(command: Command): Command {
  return command
    .option('--set <name=value>', 'set a property of the scenario; may be repeated', assignment)
    .option(
      '--group <name=n>',
      'how many workers a group has; may be repeated',
      countAssignment(1, LIMITS.workers),
    )
    .option('--workers <n>', 'how many workers the only group has', wholeNumber(1, LIMITS.workers));
}

/** Flags that say what is made of a run, for every command that conducts one. */
export function withReportFlags(command: Command): Command {
  return command
    .option('--out <dir>', 'where the bundle is written (default: results/<time>-<name>)')
    .option('--json', 'print the summary as JSON instead of the report')
    .option('--per-worker', 'add a table of every worker to the report')
    .option('--strict', 'exit with 1 if the verdict is DEGRADED');
}

interface RunOptions extends ScenarioFlags, ReportWishes {
  readonly tokenFile?: string;
  readonly dumpOperations?: number;
}

export function runCommand(): Command {
  const command = new Command('run')
    .summary('run a scenario on this machine')
    .description(
      'Runs a scenario on this machine: this process coordinates, each worker is a process of its own.',
    )
    .helpGroup(HELP_GROUPS.runs)
    .argument('<scenario>', 'the YAML file');
  return withReportFlags(withScenarioFlags(command))
    .option('--token-file <file>', 'the token between coordinator and workers (default: a random one)')
    .option(
      '--dump-operations <n>',
      'print the first n operations of each connection as JSON lines, and send nothing',
      wholeNumber(1, LIMITS.count),
    )
    .addHelpText(
      'after',
      `
Examples:
  pacecar run scenarios/quickstart.yaml --workers 3
  pacecar run mine.yaml --set host=10.0.0.5 --group clients=4 --out results/first
  pacecar run mine.yaml --json | jq .verdict.status
  pacecar run mine.yaml --dump-operations 3

The report goes to stdout, progress and logs to stderr. Workers on other machines: pacecar coordinator --help`,
    )
    .action(async (file: string, options: RunOptions, command: Command) => {
      process.exitCode = await run(file, options, command);
    });
}

async function run(file: string, options: RunOptions, command: Command): Promise<number> {
  const { screen, logger, logLevel } = surroundingsOf(command, 'coordinator', 'error');
  const [{ loadScenarioFile }, { conductLocalRun }, { readToken }] = await Promise.all([
    import('../run/scenario-file.js'),
    import('../run/local-run.js'),
    import('../run/token.js'),
  ]);
  const scenario = loadScenarioFile(file, options);
  if (options.dumpOperations !== undefined) {
    const { printOperations } = await import('../run/operation-dump.js');
    await printOperations(scenario.plan, options.dumpOperations);
    return EXIT.ok;
  }
  const token = options.tokenFile === undefined ? null : readToken(options.tokenFile, logger);
  return conductLocalRun({ scenario, wishes: options, screen, logger, logLevel, token });
}
