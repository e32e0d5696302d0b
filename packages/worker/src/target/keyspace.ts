/** Databases that SELECT knows, as many as a Redis out of the box. */
export const DATABASES = 16;

/** Values by key in one database. A value is kept as the reply to GET, so that a read is one copy. */
export type Database = Map<string, Buffer>;

/** `$<length>\r\n<value>\r\n`. */
export function asReply(value: Buffer): Buffer {
  const head = `$${value.length}\r\n`;
  const reply = Buffer.allocUnsafeSlow(head.length + value.length + 2);
  reply.write(head, 'latin1');
  value.copy(reply, head.length);
  reply[reply.length - 2] = 13;
  reply[reply.length - 1] = 10;
  return reply;
}

/** The value inside a reply made by `asReply`. */
export function valueOf(reply: Buffer): Buffer {
  return reply.subarray(reply.indexOf(10) + 1, reply.length - 2);
}

export class Keyspace {
  readonly databases: readonly Database[] = Array.from(
    { length: DATABASES },
    () => new Map<string, Buffer>(),
  );

  /** Adds one to the whole number stored under `key` (0 if there is none). null: what stands there is none. */
  increment(database: Database, key: string): number | null {
    const stored = database.get(key);
    let value = 0;
    if (stored !== undefined) {
      const text = valueOf(stored).toString('latin1');
      value = Number(text);
      if (!/^-?\d{1,16}$/.test(text) || !Number.isSafeInteger(value + 1)) return null;
    }
    value++;
    database.set(key, asReply(Buffer.from(String(value), 'latin1')));
    return value;
  }

  clear(): void {
    for (const database of this.databases) database.clear();
  }
}
