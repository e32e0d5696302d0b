import { PacecarError, type Target } from '@pacecar/protocol';
import { connectionReason } from '../connection-reason.js';
import { addressOf } from '../target-refusal.js';

const REMEDY = 'start the MongoDB server, or check host and port';

/** Why a client could not connect: what the library says, and what is to be done. */
export function refusal(thrown: unknown, target: Target): PacecarError {
  const error = innermost(thrown);
  const at = `the target ${addressOf(target)}`;
  const options = { cause: error };
  const said = connectionReason(error);
  if (thrown instanceof PacecarError) return thrown;
  if (error.name === 'MongoServerError')
    return new PacecarError(
      'TARGET_DENIED',
      `${at} refuses the connection: ${said}${deniedAdvice(error, target)}`,
      options,
    );
  if (error.name === 'MongoCompatibilityError')
    return new PacecarError(
      'TARGET_PROTOCOL',
      `${at} is too old or too new for the mongodb library: ${said}`,
      options,
    );
  if (isNoAnswer(error)) return notMongodb(target, said);
  if (/timed out/.test(said)) return noAnswer(target, said);
  return unreachable(target, said);
}

export function unreachable(target: Target, reason: string): PacecarError {
  return new PacecarError(
    'TARGET_UNREACHABLE',
    `the target ${addressOf(target)} cannot be reached: ${reason}; ${REMEDY}`,
  );
}

/** A server that took the connection, or was never reached, and said nothing in time. */
export function noAnswer(target: Target, said: string): PacecarError {
  return new PacecarError(
    'TARGET_UNREACHABLE',
    `the target ${addressOf(target)} did not answer as a MongoDB server: ${said}; ${REMEDY}`,
  );
}

export function notMongodb(target: Target, said: string): PacecarError {
  return new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${addressOf(target)} does not speak the MongoDB protocol (${said}); check host and port`,
  );
}

/** Bytes that are no message of the protocol. */
function isNoAnswer({ name, message }: Error): boolean {
  return (
    [
      'MongoParseError',
      'BSONError',
      'BSONVersionError',
      'RangeError',
      'MongoUnexpectedServerResponseError',
    ].includes(name) || /Invalid message size|message length|Unexpected server response/i.test(message)
  );
}

function deniedAdvice({ message, code }: Error & { code?: unknown }, { username }: Target): string {
  if (code === 18 || /authenticat/i.test(message))
    return `; check the user ${JSON.stringify(username ?? '')}, the password, and the setting authSource`;
  return code === 13 ? '; give user and password in the configuration of the target' : '';
}

/** The first error of a chain, which is the one that says what happened. */
function innermost(thrown: unknown): Error {
  let error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const seen = new Set<Error>();
  while (error.cause instanceof Error && !seen.has(error)) {
    seen.add(error);
    error = error.cause;
  }
  return error;
}
