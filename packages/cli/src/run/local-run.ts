import type { Logger } from 'pino';
import type { LogLevel } from '../logging/logger.js';
import type { Screen } from '../terminal/screen.js';
import { publicCommandLine } from './command-line.js';
import { conductRun, type ReportWishes } from './conduct-run.js';
import type { LoadedScenario } from './scenario-file.js';
import { randomToken } from './token.js';

/** Runs a scenario with its workers, and its built-in target, as processes of this machine. Gives the exit code. */
export function conductLocalRun(request: {
  scenario: LoadedScenario;
  wishes: ReportWishes;
  screen: Screen;
  logger: Logger;
  logLevel: LogLevel;
  /** Of the connection between coordinator and workers; null: a random one. */
  token: string | null;
}): Promise<number> {
  const { scenario, wishes, screen, logger, logLevel, token } = request;
  for (const warning of scenario.warnings) screen.print(`warning: ${warning}`);
  return conductRun({
    plan: scenario.plan,
    scenarioText: scenario.text,
    commandLine: publicCommandLine(process.argv.slice(2), scenario.secretSets),
    listen: { host: '127.0.0.1', port: 0 },
    token: token ?? randomToken(),
    tls: null,
    workers: 'local',
    // Into files of the bundle, where a line costs nothing and may explain a failure.
    workerLogLevel: logLevel === 'trace' || logLevel === 'debug' ? logLevel : 'info',
    wishes,
    screen,
    logger,
  });
}
