import { ERROR_KIND } from '@pacecar/protocol';

/** What servers answer with a number alone. */
const KINDS: Readonly<Record<number, string>> = {
  2: 'BAD_VALUE',
  13: 'UNAUTHORIZED',
  14: 'TYPE_MISMATCH',
  50: 'MAX_TIME_EXPIRED',
  59: 'COMMAND_NOT_FOUND',
  64: 'WRITE_CONCERN_FAILED',
  91: 'SHUTDOWN_IN_PROGRESS',
  100: 'UNSATISFIABLE_WRITE_CONCERN',
  112: 'WRITE_CONFLICT',
  189: 'PRIMARY_STEPPED_DOWN',
  10_107: 'NOT_WRITABLE_PRIMARY',
  10_334: 'TOO_LARGE',
  11_000: 'DUPLICATE_KEY',
  11_600: 'INTERRUPTED_AT_SHUTDOWN',
  13_435: 'NOT_PRIMARY_NO_SECONDARY_OK',
};
export const DUPLICATE_KEY_CODE = 11_000;

/** What the connection met with, rather than the operation. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['MongoNetworkError', 'MongoNetworkTimeoutError', 'MongoServerSelectionError', 'PoolClearedError'],
  ...['MongoPoolClearedError', 'MongoPoolClosedError', 'MongoTopologyClosedError', 'MongoNotConnectedError'],
  ...['MongoClientClosedError', 'PoolClearedOnNetworkError', 'MongoServerClosedError', 'MongoParseError'],
  'MongoExpiredSessionError',
]);

/**
 * The kind of an error that the library gave for an operation: by the server's number or name for it, or why the library
 * itself did not send it. null: the connection failed.
 */
export function errorKindOf(error: unknown): string | null {
  if (!(error instanceof Error)) return 'ERR';
  // The library lets some errors of its sockets through as they are.
  if (OF_CONNECTION.has(error.name) || 'syscall' in error) return null;
  const { code, codeName, message } = error as Error & { code?: unknown; codeName?: unknown };
  // Larger than the 16 MiB that a document may have: the library's buffer ends there, or the server says so.
  if (
    code === 'ERR_OUT_OF_RANGE' ||
    /BSONObj size|object to insert too large|larger than the maximum/i.test(message)
  )
    return 'TOO_LARGE';
  if (typeof code === 'number' && KINDS[code] !== undefined) return KINDS[code];
  const named =
    typeof codeName === 'string' ? snake(codeName) : snake(error.name.replace(/^Mongo|Error$/g, ''));
  if (typeof codeName !== 'string' && typeof code === 'number') return `CODE_${code}`;
  return ERROR_KIND.test(named) ? named : 'ERR';
}

/** `WriteConflict` as `WRITE_CONFLICT`. */
function snake(name: string): string {
  return name.replace(/([a-z0-9])(?=[A-Z])/g, '$1_').toUpperCase();
}
