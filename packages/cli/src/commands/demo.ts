import { LIMITS, PacecarError } from '@pacecar/protocol';
import { Command } from 'commander';
import { wholeNumber } from '../flag.js';
import type { ReportWishes } from '../run/conduct-run.js';
import { demoScenario } from './demo-scenario.js';
import { HELP_GROUPS } from './help-group.js';
import { withReportFlags } from './run.js';
import { surroundingsOf } from './surroundings.js';

interface DemoOptions extends ReportWishes {
  readonly workers: number;
  readonly for: string;
  readonly seed: number;
  readonly target?: string;
}

export function demoCommand(): Command {
  const command = new Command('demo')
    .summary('see it work: a whole run on this machine, no set-up')
    .description(
      'Starts the built-in target and workers, each a process of its own, loads 100,000 keys, warms up, measures ' +
        'get and put at 80:20, verifies every value, and prints the merged report.',
    )
    .helpGroup(HELP_GROUPS.runs)
    .option('--workers <n>', 'how many workers', wholeNumber(1, 100), 3)
    .option('--for <duration>', 'how long to measure', '10s')
    .option('--seed <n>', 'seeds every random stream', wholeNumber(0, LIMITS.count), 1)
    .option(
      '--target <url>',
      'a server to measure instead: redis://[user:password@]host:port[/database] or memcached://host:port',
    );
  return withReportFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  pacecar demo
  pacecar demo --for 30s --workers 2 --per-worker
  pacecar demo --target redis://127.0.0.1:6379        writes keys key:00000 to key:99999 there

Others on this machine can see a password on a command line: a scenario takes it from the environment.`,
    )
    .action(async (options: DemoOptions, command: Command) => {
      process.exitCode = await demo(options, command);
    });
}

async function demo(options: DemoOptions, command: Command): Promise<number> {
  const { screen, logger, logLevel } = surroundingsOf(command, 'coordinator', 'error');
  const [{ loadScenario, ScenarioRejected }, { conductLocalRun }] = await Promise.all([
    import('../run/scenario-file.js'),
    import('../run/local-run.js'),
  ]);
  const { yaml, env } = demoScenario({
    workers: options.workers,
    seed: options.seed,
    target: options.target ?? null,
  });
  try {
    const scenario = loadScenario(yaml, 'the demo', env, { set: { for: options.for } });
    return await conductLocalRun({ scenario, wishes: options, screen, logger, logLevel, token: null });
  } catch (error) {
    const problem = error instanceof ScenarioRejected ? error.problems[0] : undefined;
    if (problem === undefined) throw error;
    // Who runs the demo has written flags and no scenario: the problem names these.
    const flag = problem.path.endsWith('.target') ? '--target' : '--for';
    throw new PacecarError('REQUEST_INVALID', `${flag}: ${problem.message.replace(/ \(written .*\)$/, '')}`, {
      cause: error,
    });
  }
}
