import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { PacecarError } from '@pacecar/protocol';
import type { Logger } from 'pino';

/** Where a worker that another process starts finds its token. */
const VARIABLE = 'PACECAR_TOKEN';
const LEAST_LENGTH = 8;

export function randomToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token from its file or, without one, from the environment, where it is then removed so that no child inherits
 * it; null when there is neither. Throws REQUEST_INVALID for a file that cannot be read or holds no token.
 */
export function readToken(file: string | undefined, logger: Logger): string | null {
  if (file === undefined) {
    const token = process.env[VARIABLE];
    delete process.env[VARIABLE];
    return token === undefined || token === '' ? null : token;
  }
  const token = readSecretFile(file, 'token', logger);
  if (token.length < LEAST_LENGTH || /\s/.test(token))
    throw new PacecarError(
      'REQUEST_INVALID',
      `the token file ${file} holds no token: one word of at least ${LEAST_LENGTH} characters is needed, for example from: openssl rand -hex 24`,
    );
  return token;
}

/** The first line of a file that holds a secret. */
export function readSecretFile(file: string, what: string, logger: Logger): string {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      logger.warn(`the ${what} file ${file} can be read by others on this machine: chmod 600 ${file}`);
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] as string;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PacecarError('REQUEST_INVALID', `the ${what} file ${file} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}
