import type { Command } from 'commander';
import type { Logger } from 'pino';
import { createLogger, type LogFormat, type LogLevel } from '../logging/logger.js';
import { Screen } from '../terminal/screen.js';

/** What every command that runs for a while works with. */
export interface Surroundings {
  readonly screen: Screen;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
}

/** From the options that all commands share. `process` stands in every line of the log: who says it. */
export function surroundingsOf(command: Command, process: string, defaultLevel: LogLevel): Surroundings {
  const options = command.optsWithGlobals<{ logLevel?: LogLevel; logFormat?: LogFormat }>();
  const logLevel = options.logLevel ?? defaultLevel;
  const screen = new Screen();
  const logger = createLogger({ process, level: logLevel, format: options.logFormat ?? null, screen });
  return { screen, logger, logLevel };
}
