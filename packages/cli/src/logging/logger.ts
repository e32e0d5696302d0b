import { type DestinationStream, pino, type Logger } from 'pino';
import { mayColor } from '../terminal/output.js';
import type { Screen } from '../terminal/screen.js';
import { prettyLine } from './pretty-line.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** A belt to the braces: nothing logs secrets, and if something did, they would not come out. */
const SECRETS = ['token', 'password', '*.token', '*.password'];

/**
 * Logs of this process, to standard error above the live display. `format` null: text when standard error is a
 * terminal, JSON lines otherwise.
 */
export function createLogger(options: {
  process: string;
  level: LogLevel;
  format: LogFormat | null;
  screen: Screen;
}): Logger {
  const format = options.format ?? (process.stderr.isTTY === true ? 'text' : 'json');
  const color = mayColor(process.stderr);
  const destination: DestinationStream = {
    write: (line) => options.screen.print(format === 'json' ? line : prettyLine(line, color)),
  };
  return pino(
    {
      level: options.level,
      base: { process: options.process, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS, censor: '***' },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
