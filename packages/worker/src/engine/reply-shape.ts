import { ARRAY, BULK, BULK_ERROR, ERROR, MAP, NULL, SET, VERBATIM } from './resp-type.js';

/** How hits and misses are read off the shape of a reply. */
export type ReplyRule =
  /** Nothing was looked up, or the reply does not say whether it was there. */
  | 'silent'
  /** One item: a value or a collection with something in it is a hit; null, also of an array, and an empty one a miss. */
  | 'whole'
  /** As `whole`, and a number is a hit too: a rank or score that was found. */
  | 'found'
  /** Each element of the array for itself, by `whole`. */
  | 'elements'
  /** One item in several parts: a hit if any of them is there. */
  | 'any'
  /** A cursor and a page of one collection: by `whole` of the page. */
  | 'page'
  /** A part of a text: an empty one may be of a text that is there, and says nothing. */
  | 'text';

/**
 * Commands that answer with a status: neither hit nor miss. On the wire its type says so; but most libraries give a
 * status and a value as the same text.
 */
const STATUSES = `
  ASKING AUTH BGREWRITEAOF BGSAVE FAILOVER FLUSHALL FLUSHDB HMSET JSON.MERGE JSON.MSET JSON.SET LSET LTRIM MIGRATE MSET
  PFMERGE PSETEX READONLY READWRITE RENAME REPLICAOF RESTORE SAVE SELECT SETEX SLAVEOF SWAPDB TYPE UNWATCH WATCH
  XGROUP XSETID`;

/** Commands whose reply is not judged by `whole`. Numbers and statuses are neither hit nor miss by that already. */
const COMMANDS: Readonly<Record<Exclude<ReplyRule, 'whole'>, string>> = {
  silent: `
    ACL BITFIELD CLIENT CLUSTER COMMAND CONFIG DEBUG ECHO FUNCTION HELLO INFO KEYS LATENCY LOLWUT MEMORY MODULE PING
    PUBSUB RANDOMKEY ROLE SCAN SCRIPT SLOWLOG TIME WAITAOF
    PSUBSCRIBE PUNSUBSCRIBE SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE
    HINCRBYFLOAT INCRBYFLOAT SET XADD ZADD ZINCRBY
    HEXPIRE HEXPIREAT HEXPIRETIME HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HTTL SMISMEMBER
    ${STATUSES}`,
  found: 'GEODIST LPOS ZRANK ZREVRANK ZSCORE',
  elements: 'EXEC JSON.MGET MGET',
  any: 'GEOHASH GEOPOS HGETDEL HGETEX HMGET ZMSCORE',
  page: 'HSCAN SSCAN ZSCAN',
  text: 'GETRANGE LCS SUBSTR',
};

const RULES: ReadonlyMap<string, ReplyRule> = new Map(
  Object.entries(COMMANDS).flatMap(([rule, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, rule as ReplyRule] as const),
  ),
);

/** The rule for a command, its name first, in any case. What is not known is judged by the shape alone: `whole`. */
export function replyRule(words: readonly string[]): ReplyRule {
  const [name = '', ...rest] = words.map((word) => word.toUpperCase());
  // With GET, SET is a read as well; without, null means that NX or XX kept it from writing.
  if (name === 'SET' && rest.indexOf('GET', 2) >= 0) return 'whole';
  return RULES.get(name) ?? 'whole';
}

/**
 * Counts the hits and misses of one reply after the other: `begin`, then `item` for each value as it stands on the
 * wire, then `end`, after which `hits` and `misses` are those of this reply. Nothing is allocated.
 */
export class ReplyShape {
  hits = 0;
  misses = 0;
  #rule: ReplyRule = 'silent';
  /** Values at depth 1 so far. */
  #elements = 0;
  #found = false;
  #isCollection = false;

  begin(rule: ReplyRule): void {
    this.#rule = rule;
    this.hits = 0;
    this.misses = 0;
    this.#elements = 0;
    this.#found = false;
    this.#isCollection = false;
  }

  /**
   * `depth` is 0 for the reply itself, 1 for what is inside it ...; `type` the byte that the value begins with;
   * `value` its length, of maps in pairs, with -1 for the null of RESP2, or its integer.
   */
  item(depth: number, type: number, value: number): void {
    if (depth === 0) this.#outermost(type, value);
    else if (depth === 1) this.#element(type, value);
  }

  end(): void {
    if (this.#rule === 'any' && this.#isCollection) this.#count(this.#found ? 1 : -1);
  }

  #outermost(type: number, value: number): void {
    this.#isCollection = isCollection(type) && value > 0;
    switch (this.#rule) {
      case 'whole':
        this.#count(presence(type, value));
        break;
      case 'found':
        this.#count(discovery(type, value));
        break;
      case 'text':
        if (type !== BULK || value !== 0) this.#count(presence(type, value));
        break;
      case 'any':
        if (!this.#isCollection) this.#count(presence(type, value));
        break;
      case 'silent':
      case 'elements':
      case 'page':
        break;
    }
  }

  #element(type: number, value: number): void {
    const index = this.#elements++;
    if (this.#rule === 'elements') this.#count(presence(type, value));
    else if (this.#rule === 'any') this.#found ||= discovery(type, value) > 0;
    else if (this.#rule === 'page' && index === 1) this.#count(presence(type, value));
  }

  #count(sign: number): void {
    if (sign > 0) this.hits++;
    else if (sign < 0) this.misses++;
  }
}

/** 1: something is there. -1: nothing is. 0: the value does not say. An empty string is something. */
function presence(type: number, value: number): number {
  if (type === BULK || type === VERBATIM) return value >= 0 ? 1 : -1;
  if (isCollection(type)) return value > 0 ? 1 : -1;
  return type === NULL ? -1 : 0;
}

/** As `presence`, where numbers and statuses are what was looked for. */
function discovery(type: number, value: number): number {
  if (type === ERROR || type === BULK_ERROR) return 0;
  return presence(type, value) < 0 ? -1 : 1;
}

function isCollection(type: number): boolean {
  return type === ARRAY || type === MAP || type === SET;
}
