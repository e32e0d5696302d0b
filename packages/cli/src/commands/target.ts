import { EXIT } from '@pacecar/protocol';
import { Command } from 'commander';
import { wholeNumber } from '../flag.js';
import { followParent } from '../local/parent.js';
import { writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';
import { surroundingsOf } from './surroundings.js';

interface TargetFlags {
  readonly host: string;
  readonly port: number;
  readonly passwordFile?: string;
  readonly json?: true;
}

export function targetCommand(): Command {
  return new Command('target')
    .summary('run the built-in target (RESP from memory)')
    .description(
      'Runs the built-in target: RESP from memory, to try things and to measure the generator itself.',
    )
    .helpGroup(HELP_GROUPS.machines)
    .requiredOption('--port <port>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535))
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--password-file <file>', 'the password that clients must give')
    .option('--json', 'print the address as JSON')
    .addHelpText(
      'after',
      `
Prints its address when it is ready and serves until SIGINT or SIGTERM. It keeps everything in memory and is not Redis.

Example:
  pacecar target --host 0.0.0.0 --port 6399`,
    )
    .action(async (options: TargetFlags, command: Command) => {
      process.exitCode = await serve(options, command);
    });
}

async function serve(options: TargetFlags, command: Command): Promise<number> {
  const { logger } = surroundingsOf(command, 'target', 'info');
  const [{ startTarget }, { readPassword }] = await Promise.all([
    import('@pacecar/worker'),
    import('../run/token.js'),
  ]);
  const password = options.passwordFile === undefined ? null : readPassword(options.passwordFile, logger);
  const target = await startTarget({
    host: options.host,
    port: options.port,
    log: (text) => logger.info(text),
    ...(password === null ? {} : { password }),
  });
  const { host, port } = target;
  const shown = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  await writeOut(options.json === true ? `${JSON.stringify({ host, port })}\n` : `listening on ${shown}\n`);
  await new Promise<void>((resolve) => {
    const local = followParent(resolve);
    process.once('SIGTERM', resolve);
    if (!local) process.once('SIGINT', resolve);
  });
  logger.info({ calls: target.counters() }, 'commands served');
  await target.close();
  return EXIT.ok;
}
