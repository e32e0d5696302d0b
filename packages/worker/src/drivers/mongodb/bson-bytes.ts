/** Sizes of documents in BSON, by arithmetic: the library does not say what it sent and received. */

type Measured =
  | string
  | number
  | boolean
  | null
  | undefined
  | Uint8Array
  | readonly Measured[]
  | MeasuredDocument;
export interface MeasuredDocument {
  readonly [name: string]: Measured;
}

/** Header, flags, and the kind of the one section of a message. */
const MESSAGE_BYTES = 16 + 4 + 1;
/** Whatever a command is: the session that the library begins for it. */
const SESSION_BYTES = 36;

/** A message with a command for a database: every name and value but the session. */
export function commandBytes(command: MeasuredDocument): number {
  return MESSAGE_BYTES + documentBytes(command) + SESSION_BYTES;
}

/** A message that answers. What a server adds of its own (times of a cluster) is not in it. */
export function answerBytes(answer: MeasuredDocument): number {
  return MESSAGE_BYTES + documentBytes(answer);
}

export function documentBytes(document: MeasuredDocument): number {
  let bytes = 5;
  for (const name in document) bytes += 2 + Buffer.byteLength(name) + valueBytes(document[name]);
  return bytes;
}

function valueBytes(value: Measured): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (value instanceof Uint8Array) return 5 + value.length;
  if (typeof value === 'number') return Number.isInteger(value) ? 4 : 8;
  if (typeof value === 'boolean') return 1;
  if (value === null || value === undefined) return 0;
  if (!Array.isArray(value)) return documentBytes(value as MeasuredDocument);
  let bytes = 5;
  (value as readonly Measured[]).forEach((each, index) => {
    bytes += 2 + String(index).length + valueBytes(each);
  });
  return bytes;
}
