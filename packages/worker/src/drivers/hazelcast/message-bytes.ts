import type { MapKey, MapValue } from './library.js';

/** Length and flags before each frame of a message. */
const FRAME = 6;
/** A first frame: type, correlation and partition; of an answer, how many backups there are instead of the latter. */
const REQUEST = FRAME + 16;
const ANSWER = FRAME + 13;
/** What stands before the bytes of a key or a value: hash, type and, but for numbers, the length. */
const DATA = FRAME + 8;
const LENGTH = 4;
const LONG = 8;
/** Frames around a list. */
const LIST = 2 * FRAME;

/** Fixed arguments of requests. */
const ARGUMENTS = {
  get: LONG,
  remove: LONG,
  replace: LONG,
  store: 2 * LONG,
  setTtl: LONG,
  getAll: LIST,
  putAll: LIST + 1,
};
export type RequestName = keyof typeof ARGUMENTS;

/** Size of a request as the client protocol has it. Of getAll and putAll: of a message for each key. */
export function requestBytes(
  name: RequestName,
  map: string,
  key: MapKey,
  value: MapValue | null = null,
): number {
  const words = FRAME + Buffer.byteLength(map) + dataBytes(key);
  return REQUEST + ARGUMENTS[name] + words + (value === null ? 0 : dataBytes(value));
}

/** Size of an answer with nothing in it, with a yes or no, and with a value or none. */
export const DONE_BYTES = ANSWER;
export const FLAG_BYTES: number = ANSWER + 1;
export function valueBytes(value: MapValue | null): number {
  return ANSWER + (value === null ? FRAME : dataBytes(value));
}

/** Size of the answer to a getAll with one key that is there. */
export function entryBytes(key: MapKey, value: MapValue): number {
  return ANSWER + LIST + dataBytes(key) + dataBytes(value);
}
export const NO_ENTRY_BYTES: number = ANSWER + LIST;

function dataBytes(data: MapKey | MapValue): number {
  if (typeof data === 'object' && 'unsigned' in data) return DATA + LONG;
  if (typeof data === 'string' || data instanceof Buffer) return DATA + LENGTH + Buffer.byteLength(data);
  return DATA + LENGTH + Buffer.byteLength(JSON.stringify(data));
}
