import { PacecarError, type Plan } from '@pacecar/protocol';
import { Command, Option } from 'commander';
import { type Address, listenAddress } from '../flag.js';
import type { ReportWishes } from '../run/conduct-run.js';
import type { ScenarioFlags } from '../run/scenario-file.js';
import { HELP_GROUPS } from './help-group.js';
import { withReportFlags, withScenarioFlags } from './run.js';
import { surroundingsOf } from './surroundings.js';

const DEFAULT_LISTEN = '127.0.0.1:2103';

interface CoordinatorOptions extends ScenarioFlags, ReportWishes {
  readonly listen: Address;
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export function coordinatorCommand(): Command {
  const command = new Command('coordinator')
    .summary('run a scenario on workers of other machines')
    .description('Runs a scenario on workers of other machines, which dial in with "pacecar worker".')
    .helpGroup(HELP_GROUPS.machines)
    .argument('<scenario>', 'the YAML file')
    .addOption(
      new Option('--listen <host:port>', 'where workers dial in; beyond loopback a token is required')
        .argParser(listenAddress)
        .default(listenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .option('--token-file <file>', 'the token that every worker must show (or PACECAR_TOKEN)')
    .option('--tls-cert <file>', 'serve wss:// with this certificate (PEM)')
    .option('--tls-key <file>', 'and its private key (PEM)');
  return withReportFlags(withScenarioFlags(command))
    .addHelpText(
      'after',
      `
Example:
  openssl rand -hex 24 > token; chmod 600 token         and copy it to each machine
  pacecar coordinator mine.yaml --listen 0.0.0.0:2103 --token-file token
  pacecar worker --join ws://10.0.0.1:2103 --token-file token --group clients     on each of them`,
    )
    .action(async (file: string, options: CoordinatorOptions, command: Command) => {
      process.exitCode = await coordinate(file, options, command);
    });
}

async function coordinate(file: string, options: CoordinatorOptions, command: Command): Promise<number> {
  const { screen, logger, logLevel } = surroundingsOf(command, 'coordinator', 'info');
  const [{ loadScenarioFile }, { conductRun }, { publicCommandLine }, { readToken }] = await Promise.all([
    import('../run/scenario-file.js'),
    import('../run/conduct-run.js'),
    import('../run/command-line.js'),
    import('../run/token.js'),
  ]);
  const scenario = loadScenarioFile(file, options);
  const builtin = scenario.plan.configurations.find(({ target }) => target.kind === 'builtin');
  if (builtin !== undefined)
    throw new PacecarError(
      'REQUEST_INVALID',
      `configuration ${builtin.name} asks for the built-in target, which only local runs start: ` +
        'start "pacecar target --host HOST --port PORT" on a machine that all workers reach and give its address as target',
    );
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined))
    throw new PacecarError('REQUEST_INVALID', '--tls-cert and --tls-key are needed together');
  for (const warning of scenario.warnings) screen.print(`warning: ${warning}`);
  const { groups } = scenario.plan;
  return conductRun({
    plan: scenario.plan,
    scenarioText: scenario.text,
    commandLine: publicCommandLine(process.argv.slice(2), scenario.secretSets),
    listen: options.listen,
    token: readToken(options.tokenFile, logger),
    tls:
      options.tlsCert === undefined || options.tlsKey === undefined
        ? null
        : { certFile: options.tlsCert, keyFile: options.tlsKey },
    workers: 'remote',
    workerLogLevel: logLevel,
    wishes: options,
    screen,
    logger,
    onListening: (url) => screen.print(invitation(url, options.tokenFile, groups)),
  });
}

/** What a person has to do next: start the workers. */
function invitation(url: string, tokenFile: string | undefined, groups: Plan['groups']): string {
  const token = tokenFile === undefined ? '' : ` --token-file ${tokenFile}`;
  const lines = groups.map(
    ({ name, size }) => `  ${size} x  pacecar worker --join ${url}${token} --group ${name}`,
  );
  return `pacecar: listening on ${url}, waiting for\n${lines.join('\n')}`;
}
