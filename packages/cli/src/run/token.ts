import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { LIMITS, PacecarError, systemReason, tokenProblem } from '@pacecar/protocol';
import type { Logger } from 'pino';

/** Where a worker that another process starts finds its token. */
const VARIABLE = 'PACECAR_TOKEN';
const LEAST_LENGTH = 8;
/** Every secret that is allowed, and enough of one that is not. */
const MOST_READ_BYTES = 2 * LIMITS.tokenBytes;
const LINE_BREAK = 0x0a;

export function randomToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token from its file or, without one, from the environment, where it is then removed so that no child inherits
 * it; null when there is neither. Throws REQUEST_INVALID for a file that cannot be read, and for what is no token, in
 * words that do not repeat it.
 */
export function readToken(file: string | undefined, logger: Logger): string | null {
  if (file !== undefined) return checked(readSecretFile(file, 'token', logger), `the token file ${file}`);
  const token = process.env[VARIABLE];
  delete process.env[VARIABLE];
  return token === undefined || token === '' ? null : checked(token, VARIABLE);
}

function checked(token: string, where: string): string {
  const problem =
    tokenProblem(token) ??
    (token.length < LEAST_LENGTH ? `has less than ${LEAST_LENGTH} characters` : null) ??
    (/\s/.test(token) ? 'is more than one word' : null);
  if (problem === null) return token;
  throw new PacecarError(
    'REQUEST_INVALID',
    `${where} holds no token: what is there ${problem}. One word of at least ${LEAST_LENGTH} characters is needed, ` +
      'for example from: openssl rand -hex 24',
  );
}

/** The password from its file, bounded as a token is. Throws REQUEST_INVALID without repeating it. */
export function readPassword(file: string, logger: Logger): string {
  const password = readSecretFile(file, 'password', logger);
  const problem = tokenProblem(password);
  if (problem === null) return password;
  throw new PacecarError(
    'REQUEST_INVALID',
    `the password file ${file} holds no password: its first line ${problem}`,
  );
}

/**
 * The first line of a file that holds a secret; of a longer one than a secret may be only so much that it is seen to
 * be too long. Throws REQUEST_INVALID for a file that cannot be read, or that is no text.
 */
function readSecretFile(file: string, what: string, logger: Logger): string {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      logger.warn(`the ${what} file ${file} can be read by others on this machine: chmod 600 ${file}`);
    const [line] = new TextDecoder('utf-8', { fatal: true }).decode(head(file)).split(/\r?\n/, 1);
    return line as string;
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no text in UTF-8' : systemReason(error);
    throw new PacecarError('REQUEST_INVALID', `the ${what} file ${file} cannot be used: ${reason}`, {
      cause: error,
    });
  }
}

/** The file up to its first line break or so many bytes, whichever comes first: /dev/zero has no end. */
function head(file: string): Buffer {
  const buffer = Buffer.alloc(MOST_READ_BYTES);
  const opened = openSync(file, 'r');
  let length = 0;
  try {
    while (length < buffer.length && !buffer.subarray(0, length).includes(LINE_BREAK)) {
      const read = readSync(opened, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
  } finally {
    closeSync(opened);
  }
  const end = buffer.subarray(0, length).indexOf(LINE_BREAK);
  return buffer.subarray(0, end === -1 ? length : end + 1);
}
