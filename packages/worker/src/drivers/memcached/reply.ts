/** What a reply says, in whichever of the two protocols. */
export const OUTCOME = {
  /** HD, STORED, DELETED, TOUCHED, OK, the number of a counter. */
  done: 0,
  /** The reply to a get is over: VA with its value, EN, END behind any number of values. */
  read: 1,
  /** NF, NOT_FOUND. */
  notFound: 2,
  /** NS, NOT_STORED. */
  notStored: 3,
  /** EX, EXISTS. */
  exists: 4,
  /** MN. */
  noOperation: 5,
} as const;
export const OUTCOMES = 6;

/** By outcome, of those that can be errors. */
export const OUTCOME_ERRORS: readonly string[] = ['', '', 'NOT_FOUND', 'NOT_STORED', 'EXISTS', ''];

/** Receives whole replies, in order, and values if it wants to. */
export interface ReplySink {
  /** `outcome` is one of OUTCOME; `items` values came with it. `bytes` is the size of the reply on the wire. */
  reply(outcome: number, items: number, bytes: number): void;
  /** An error reply, by its kind. */
  error(kind: string, bytes: number): void;
  /**
   * A value of `length` bytes comes, and then its bytes, in pieces. The line that says so, which has its key in the text
   * protocol, stands at `lineAt .. lineEnd` of `line`, without its end.
   */
  valueBegins(length: number, line: Uint8Array, lineAt: number, lineEnd: number): void;
  value(bytes: Uint8Array, start: number, end: number): void;
  valueEnds(): void;
}

/** What the server says in many words, and what it is counted as. Everything else counts by its first word. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^SERVER_ERROR object too large/i, 'TOO_LARGE'],
  [/^SERVER_ERROR out of memory/i, 'OUT_OF_MEMORY'],
  [/^CLIENT_ERROR cannot increment or decrement non-numeric/i, 'NOT_A_NUMBER'],
];
const FIRST_WORD = /^(ERROR|CLIENT_ERROR|SERVER_ERROR)(?: |$)/;

/** The kind of an error line; null: the line is no error. */
export function errorKind(line: string): string | null {
  const known = KINDS.find(([pattern]) => pattern.test(line));
  return known?.[1] ?? FIRST_WORD.exec(line)?.[1] ?? null;
}
