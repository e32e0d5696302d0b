import { asPacecarError, EXIT, PACECAR_VERSION } from '@pacecar/protocol';
import { Command, CommanderError, Option } from 'commander';
import { calibrateCommand } from './commands/calibrate.js';
import { coordinatorCommand } from './commands/coordinator.js';
import { demoCommand } from './commands/demo.js';
import { driversCommand } from './commands/drivers.js';
import { recipesCommand } from './commands/recipes.js';
import { HELP_GROUPS } from './commands/help-group.js';
import { reportCommand } from './commands/report.js';
import { runCommand } from './commands/run.js';
import { schemaCommand } from './commands/schema.js';
import { targetCommand } from './commands/target.js';
import { validateCommand } from './commands/validate.js';
import { verifyCommand } from './commands/verify.js';
import { workerCommand } from './commands/worker.js';
import { oneOf } from './flag.js';
import { LOG_FORMATS, LOG_LEVELS } from './logging/logger.js';
import { flushOutput, watchForClosedPipes, writeError } from './terminal/output.js';

/** Runs the command line `args` (without node and the script) and ends this process with its exit code. */
export async function main(args: readonly string[]): Promise<never> {
  watchForClosedPipes();
  let code: number;
  try {
    await buildProgram().parseAsync([...args], { from: 'user' });
    code = Number(process.exitCode ?? EXIT.ok);
  } catch (thrown) {
    code = reportFailure(thrown);
  }
  await flushOutput();
  process.exit(code);
}

function buildProgram(): Command {
  const program = new Command('pacecar')
    .description('Distributed load generation for in-memory data stores, with an honest report.')
    .version(PACECAR_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addOption(
      new Option('--log-level <level>', `${LOG_LEVELS.join(', ')}; logs go to stderr`).argParser(
        oneOf(LOG_LEVELS),
      ),
    )
    .addOption(
      new Option('--log-format <format>', 'text, json (default: text on a terminal)').argParser(
        oneOf(LOG_FORMATS),
      ),
    )
    .configureHelp({ showGlobalOptions: true })
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('print the help of a command')
        .helpGroup(HELP_GROUPS.reference),
    )
    .exitOverride()
    .addHelpText('after', EXIT_CODES);
  for (const command of [
    demoCommand(),
    runCommand(),
    validateCommand(),
    reportCommand(),
    verifyCommand(),
    coordinatorCommand(),
    workerCommand(),
    targetCommand(),
    calibrateCommand(),
    driversCommand(),
    recipesCommand(),
    schemaCommand(),
  ])
    program.addCommand(command.copyInheritedSettings(program));
  return program;
}

const EXIT_CODES = `
Exit codes:
  0    done; the verdict is VALID or DEGRADED
  1    the run ran and failed: INVALID, over the error budget, an objective missed (DEGRADED with --strict)
  2    the request is wrong; nothing was sent
  3    infrastructure: a worker lost, a target or coordinator not reached
  130  interrupted (143: terminated); the partial report is written

Start with:  pacecar demo`;

/** Says what went wrong, once, and returns the exit code. */
function reportFailure(thrown: unknown): number {
  // Commander has already printed its own message, with a suggestion for a typo.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.request;
  const error = asPacecarError(thrown);
  writeError(`error: ${error.message}\n`);
  if (error.code === 'INTERNAL' && error.cause instanceof Error)
    writeError(`This is a defect of Pacecar ${PACECAR_VERSION}:\n${error.cause.stack}\n`);
  return error.exitCode;
}
