import { EXIT, LIMITS } from '@pacecar/protocol';
import { Command } from 'commander';
import { coordinatorUrl, wholeNumber } from '../flag.js';
import { followParent } from '../local/parent.js';
import { writeError } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';
import { surroundingsOf } from './surroundings.js';

interface WorkerFlags {
  readonly join: string;
  readonly tokenFile?: string;
  readonly group?: string;
  readonly name?: string;
  readonly index?: number;
  readonly wait?: true;
  readonly ca?: string;
  readonly serviceDir?: string;
  readonly keepServiceFiles?: true;
}

export function workerCommand(): Command {
  return new Command('worker')
    .summary('join a coordinator and put load on its target')
    .description('Joins a coordinator and puts load on its target until the run is over.')
    .helpGroup(HELP_GROUPS.machines)
    .requiredOption('--join <url>', 'the coordinator: ws://host:port or wss://host:port', coordinatorUrl)
    .option('--token-file <file>', 'the token that the coordinator asks for (or PACECAR_TOKEN)')
    .option('--group <name>', 'the group to work in (default: the first one with a free place)')
    .option('--name <name>', 'the name in reports (default: chosen by the coordinator)')
    .option(
      '--index <n>',
      'the index in the run (default: the next free one)',
      wholeNumber(0, LIMITS.workers - 1),
    )
    .option('--wait', 'after a run, wait for the next one')
    .option('--ca <file>', 'trust this certificate authority for wss:// (PEM)')
    .option('--service-dir <dir>', 'where the servers that it runs work (default: TMPDIR)')
    .option('--keep-service-files', 'leave their directories when the run is over')
    .addHelpText(
      'after',
      `
Examples:
  pacecar worker --join ws://10.0.0.1:2103 --token-file token --group clients
  pacecar worker --join wss://coordinator.example:2103 --token-file token --ca ca.pem --group clients --wait`,
    )
    .action(async (options: WorkerFlags, command: Command) => {
      process.exitCode = await work(options, command);
    });
}

async function work(options: WorkerFlags, command: Command): Promise<number> {
  const { logger } = surroundingsOf(command, 'worker', 'info');
  const [{ runWorker }, { readToken }] = await Promise.all([
    import('@pacecar/worker'),
    import('../run/token.js'),
  ]);
  const ending = new AbortController();
  const local = followParent(() => ending.abort('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Ctrl-C at a local run reaches its workers too; the coordinator ends them in order.
    if (local && signal === 'SIGINT') continue;
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
      ending.abort(signal);
    });
  }
  const end = await runWorker({
    join: options.join,
    token: readToken(options.tokenFile, logger),
    name: options.name ?? null,
    group: options.group ?? null,
    index: options.index ?? null,
    afterRun: options.wait === true ? 'wait' : 'exit',
    caFile: options.ca ?? null,
    logger,
    signal: ending.signal,
    services: {
      ...(options.serviceDir === undefined ? {} : { workDirectory: options.serviceDir }),
      keepsFiles: options.keepServiceFiles === true,
    },
  });
  if (end.exitCode !== EXIT.ok) writeError(`error: ${end.reason}\n`);
  return end.exitCode;
}
