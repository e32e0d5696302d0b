/** Receives whole replies, in order, and if it wants to what they are made of. */
export interface ReplySink {
  /**
   * `type` is the byte that a reply begins with. `value` is what says whether something was there: the integer, the
   * length of a string or collection (-1: nil), 1 or 0 for a boolean, 0 for other values. `bytes` is the size of the
   * reply on the wire, with what the target pushed before it.
   */
  reply(type: number, value: number, bytes: number): void;
  /** An error reply; `word` is its first word. */
  error(word: string, bytes: number): void;
  /**
   * Only if `items` are wanted: a value begins, the reply itself at depth 0, what is inside it at depth 1 ...; `type`
   * and `value` as above, of maps in pairs.
   */
  item(depth: number, type: number, value: number): void;
  /** Only if `items` are wanted: the item before, inside a reply, was an error. */
  errorInside(word: string): void;
  /** Only if `bodies` are wanted: a bulk string of `length` bytes comes, and then its bytes, in pieces. */
  bodyBegins(length: number): void;
  body(bytes: Uint8Array, start: number, end: number): void;
  bodyEnds(): void;
}

/** What a sink wants to hear of, beyond whole replies. Bodies: of bulk strings, of inner ones only with `items`. */
export interface ReplyDetail {
  readonly items: boolean;
  readonly bodies: boolean;
}
