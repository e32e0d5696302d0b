/** Each message of the binary protocol begins with so many bytes. */
const HEADER_BYTES = 24;
/** Flags and time to live of what is stored; of a time to live alone; of a counter's steps. */
export const EXTRAS = { none: 0, store: 8, touch: 4, count: 20, flags: 4 } as const;

/** What a memcached says in the body of an answer that is not a success. */
const BODIES = {
  notFound: 'Not found',
  exists: 'Data exists for key.',
  notStored: 'Not stored.',
  tooLarge: 'Too large.',
  outOfMemory: 'Out of memory',
  notANumber: 'Non-numeric server-side value for incr or decr',
} as const;
export type Body = keyof typeof BODIES;

/** The size of a message on the wire. */
export function frameBytes(extras: number, key: string, value: string | Buffer = ''): number {
  const valueBytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  return HEADER_BYTES + extras + Buffer.byteLength(key) + valueBytes;
}

/** The size of an answer without a success. */
export function bodyBytes(body: Body): number {
  return HEADER_BYTES + BODIES[body].length;
}
