import { type CommandCount, CommandStatistics } from './command-statistics.js';
import { describe } from './description.js';
import { asReply, DATABASES, type Database, Keyspace } from './keyspace.js';
import type { ReplyBuffer } from './reply-buffer.js';

/** What the target knows of one connection. */
export interface Session {
  readonly id: number;
  database: Database;
  authenticated: boolean;
  resp3: boolean;
  name: string;
  /** Set by QUIT: the connection ends once the replies are written. */
  leaving: boolean;
}

/** A command under way: its arguments lie in `bytes`, argument 0 is the name. */
interface Call {
  readonly session: Session;
  readonly bytes: Buffer;
  readonly bounds: readonly number[];
  readonly argumentCount: number;
  readonly out: ReplyBuffer;
}

/** Writes the reply and says whether it was one (false: an error). */
type Command = (call: Call) => boolean;

interface Entry {
  /** As Redis counts: with the name; negative means at least that many. */
  readonly arity: number;
  readonly beforeAuth: boolean;
  readonly run: Command;
  readonly count: CommandCount;
}

const OK = Buffer.from('+OK\r\n');
const ZERO = Buffer.from(':0\r\n');
const ONE = Buffer.from(':1\r\n');
const LOWER = 0x20;

/** The commands of the target, over one keyspace. */
export class Commands {
  readonly statistics = new CommandStatistics();
  readonly #keyspace = new Keyspace();
  readonly #entries = new Map<string, Entry>();
  readonly #password: string | null;
  readonly #get: Entry;
  readonly #set: Entry;
  readonly #port: number;
  readonly #connections: () => number;

  constructor(options: { password: string | null; port: number; connections: () => number }) {
    this.#password = options.password;
    this.#port = options.port;
    this.#connections = options.connections;
    this.#get = this.#add('get', 2, (call) => this.#runGet(call));
    this.#set = this.#add('set', -3, (call) => this.#runSet(call));
    this.#add('del', -2, (call) => this.#forEachKey(call, (database, key) => database.delete(key)));
    this.#add('exists', -2, (call) => this.#forEachKey(call, (database, key) => database.has(key)));
    this.#add('incr', 2, (call) => this.#runIncr(call));
    this.#add('dbsize', 1, ({ out, session }) => done(out.integer(session.database.size)));
    this.#add('flushall', -1, ({ out }) => done(this.#keyspace.clear(), out.raw(OK)));
    this.#add('ping', -1, runPing);
    this.#add('echo', 2, (call) => done(call.out.bulk(text(call, 1))));
    this.#add('select', 2, (call) => this.#runSelect(call));
    this.#add('info', -1, (call) => this.#runInfo(call));
    this.#add('config', -2, (call) => this.#runConfig(call));
    this.#add('command', -1, ({ out }) => done(out.array(0)));
    this.#add('client', -2, runClient);
    this.#add('auth', -2, (call) => this.#runAuth(call), true);
    this.#add('hello', -1, (call) => this.#runHello(call), true);
    this.#add('quit', -1, ({ out, session }) => done(out.raw(OK), (session.leaving = true)), true);
  }

  session(id: number): Session {
    const database = this.#keyspace.databases[0] as Database;
    return { id, database, authenticated: this.#password === null, resp3: false, name: '', leaving: false };
  }

  run(
    session: Session,
    bytes: Buffer,
    bounds: readonly number[],
    argumentCount: number,
    out: ReplyBuffer,
  ): void {
    const entry = this.#find(bytes, bounds);
    if (entry === undefined) {
      const name = bytes.toString(
        'latin1',
        bounds[0],
        Math.min(bounds[1] as number, (bounds[0] as number) + 64),
      );
      out.error(`ERR unknown command '${name.replace(/[^ -~]/g, '?')}'`);
      return;
    }
    entry.count.calls++;
    if (!session.authenticated && !entry.beforeAuth) {
      entry.count.failed++;
      out.error('NOAUTH Authentication required.');
      return;
    }
    const arity = entry.arity;
    if (arity >= 0 ? argumentCount !== arity : argumentCount < -arity) {
      entry.count.failed++;
      out.error(`ERR wrong number of arguments for '${entry.count.name}' command`);
      return;
    }
    if (!entry.run({ session, bytes, bounds, argumentCount, out })) entry.count.failed++;
  }

  #add(name: string, arity: number, run: Command, beforeAuth = false): Entry {
    const entry = { arity, beforeAuth, run, count: this.statistics.of(name) };
    this.#entries.set(name, entry);
    return entry;
  }

  /** GET and SET are found without making a string of their name. */
  #find(bytes: Buffer, bounds: readonly number[]): Entry | undefined {
    const at = bounds[0] as number;
    const length = (bounds[1] as number) - at;
    if (
      length === 3 &&
      ((bytes[at + 1] as number) | LOWER) === 101 &&
      ((bytes[at + 2] as number) | LOWER) === 116
    ) {
      const first = (bytes[at] as number) | LOWER;
      if (first === 103) return this.#get;
      if (first === 115) return this.#set;
    }
    if (length > 32) return undefined;
    return this.#entries.get(bytes.toString('latin1', at, at + length).toLowerCase());
  }

  #runGet(call: Call): boolean {
    const stored = call.session.database.get(key(call, 1));
    if (stored === undefined) {
      this.statistics.misses++;
      call.out.nothing();
    } else {
      this.statistics.hits++;
      call.out.raw(stored);
    }
    return true;
  }

  #runSet(call: Call): boolean {
    if (call.argumentCount > 3) return refuse(call, 'ERR syntax error: this target knows only SET key value');
    const value = call.bytes.subarray(call.bounds[4], call.bounds[5]);
    call.session.database.set(key(call, 1), asReply(value));
    call.out.raw(OK);
    return true;
  }

  #forEachKey(call: Call, visit: (database: Database, key: string) => boolean): boolean {
    let count = 0;
    for (let index = 1; index < call.argumentCount; index++) {
      if (visit(call.session.database, key(call, index))) count++;
    }
    if (count === 0) call.out.raw(ZERO);
    else if (count === 1) call.out.raw(ONE);
    else call.out.integer(count);
    return true;
  }

  #runIncr(call: Call): boolean {
    const value = this.#keyspace.increment(call.session.database, key(call, 1));
    if (value === null) return refuse(call, 'ERR value is not an integer or out of range');
    return done(call.out.integer(value));
  }

  #runSelect(call: Call): boolean {
    const asked = text(call, 1);
    const database = /^\d{1,6}$/.test(asked) ? this.#keyspace.databases[Number(asked)] : undefined;
    if (database === undefined) return refuse(call, `ERR DB index is out of range (0..${DATABASES - 1})`);
    call.session.database = database;
    return done(call.out.raw(OK));
  }

  #runInfo(call: Call): boolean {
    const sections: string[] = [];
    for (let index = 1; index < call.argumentCount; index++) sections.push(text(call, index).toLowerCase());
    return done(
      call.out.bulk(
        describe(sections, {
          port: this.#port,
          connections: this.#connections(),
          statistics: this.statistics,
          databases: this.#keyspace.databases,
        }),
      ),
    );
  }

  #runConfig(call: Call): boolean {
    const what = text(call, 1).toLowerCase();
    if (what === 'get') return done(call.out.map(0));
    if (what === 'resetstat') return done(this.statistics.reset(), call.out.raw(OK));
    return refuse(call, 'ERR this target has no settings: only CONFIG GET and CONFIG RESETSTAT');
  }

  #runAuth(call: Call): boolean {
    if (call.argumentCount > 3) return refuse(call, 'ERR syntax error');
    if (this.#password === null) return refuse(call, 'ERR AUTH called without any password configured');
    const user = call.argumentCount === 3 ? text(call, 1) : 'default';
    if (!this.#login(call.session, user, text(call, call.argumentCount - 1)))
      return refuse(call, 'WRONGPASS invalid username-password pair or user is disabled.');
    return done(call.out.raw(OK));
  }

  #login(session: Session, user: string, password: string): boolean {
    const right = this.#password === null || (user === 'default' && password === this.#password);
    if (right) session.authenticated = true;
    return right;
  }

  #runHello(call: Call): boolean {
    const { session, out } = call;
    const version = call.argumentCount > 1 ? text(call, 1) : session.resp3 ? '3' : '2';
    if (version !== '2' && version !== '3') return refuse(call, 'NOPROTO unsupported protocol version');
    for (let index = 2; index < call.argumentCount; index++) {
      const option = text(call, index).toLowerCase();
      if (option === 'auth' && index + 2 < call.argumentCount) {
        if (!this.#login(session, text(call, index + 1), text(call, index + 2)))
          return refuse(call, 'WRONGPASS invalid username-password pair or user is disabled.');
        index += 2;
      } else if (option === 'setname' && index + 1 < call.argumentCount) {
        session.name = text(call, ++index);
      } else {
        return refuse(call, 'ERR syntax error in HELLO');
      }
    }
    if (!session.authenticated) return refuse(call, 'NOAUTH HELLO must be called with AUTH first.');
    session.resp3 = version === '3';
    out.resp3 = session.resp3;
    out.map(4);
    out.bulk('server');
    out.bulk('pacecar-target');
    out.bulk('proto');
    out.integer(Number(version));
    out.bulk('id');
    out.integer(session.id);
    out.bulk('mode');
    out.bulk('standalone');
    return true;
  }
}

function runPing(call: Call): boolean {
  if (call.argumentCount > 2) return refuse(call, "ERR wrong number of arguments for 'ping' command");
  if (call.argumentCount === 2) call.out.bulk(text(call, 1));
  else call.out.simple('PONG');
  return true;
}

function runClient(call: Call): boolean {
  const what = text(call, 1).toLowerCase();
  if (what === 'id') return done(call.out.integer(call.session.id));
  if (what === 'getname')
    return done(call.session.name === '' ? call.out.nothing() : call.out.bulk(call.session.name));
  if (what === 'setname' && call.argumentCount === 3) {
    call.session.name = text(call, 2);
    return done(call.out.raw(OK));
  }
  if (what === 'setinfo' && call.argumentCount === 4) return done(call.out.raw(OK));
  return refuse(call, 'ERR this target knows only CLIENT ID, GETNAME, SETNAME and SETINFO');
}

function refuse(call: Call, error: string): boolean {
  call.out.error(error);
  return false;
}

/** Reads as "this was done, and it is a reply". */
function done(..._effects: unknown[]): boolean {
  return true;
}

/** Keys are bytes: latin1 keeps every one of them apart. */
function key(call: Call, index: number): string {
  return call.bytes.toString('latin1', call.bounds[2 * index], call.bounds[2 * index + 1]);
}

function text(call: Call, index: number): string {
  return call.bytes.toString('utf8', call.bounds[2 * index], call.bounds[2 * index + 1]);
}
