import {
  type Call,
  type CommandTable,
  done,
  OK,
  type QueuedCommand,
  refuse,
  type Run,
  type Session,
  SYNTAX,
  text,
} from './call.js';
import { BLOCKING_COMMANDS } from './blocking-commands.js';
import { COLLECTION_COMMANDS } from './collection-commands.js';
import { type CommandCount, CommandStatistics } from './command-statistics.js';
import { CONNECTION_COMMANDS } from './connection-commands.js';
import { DATABASES, Database } from './database.js';
import { describe } from './description.js';
import { EXPIRY_COMMANDS } from './expiry-commands.js';
import { KEY_COMMANDS } from './key-commands.js';
import type { ReplyBuffer } from './reply-buffer.js';
import { SORTED_SET_COMMANDS } from './sorted-set-commands.js';
import { STRING_COMMANDS } from './string-commands.js';
import { WaitingRoom } from './waiting-room.js';

interface Entry {
  /** As Redis counts: with the name; negative means at least that many. */
  readonly arity: number;
  readonly beforeAuth: boolean;
  /** Carried out at once between MULTI and EXEC too. */
  readonly endsQueue: boolean;
  readonly run: Run;
  readonly count: CommandCount;
}

const LOWER = 0x20;

const QUEUED = Buffer.from('+QUEUED\r\n');
const TABLES: readonly CommandTable[] = [
  STRING_COMMANDS,
  KEY_COMMANDS,
  EXPIRY_COMMANDS,
  COLLECTION_COMMANDS,
  SORTED_SET_COMMANDS,
  BLOCKING_COMMANDS,
  CONNECTION_COMMANDS,
];

/** The commands of the target, over one keyspace. */
export class Commands {
  readonly statistics = new CommandStatistics();
  readonly waitingRoom = new WaitingRoom();
  readonly #databases: readonly Database[] = Array.from({ length: DATABASES }, () => new Database());
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
    for (const table of TABLES)
      for (const [name, { arity, run }] of Object.entries(table)) this.#add(name, arity, run);
    this.#get = this.#entries.get('get') as Entry;
    this.#set = this.#entries.get('set') as Entry;
    this.#add('flushall', -1, ({ out }) => done(this.#clear(), out.raw(OK)));
    this.#add('multi', 1, (call) => this.#runMulti(call), { endsQueue: true });
    this.#add('exec', 1, (call) => this.#runExec(call), { endsQueue: true });
    this.#add('discard', 1, (call) => this.#runDiscard(call), { endsQueue: true });
    this.#add('select', 2, (call) => this.#runSelect(call));
    this.#add('info', -1, (call) => this.#runInfo(call));
    this.#add('config', -2, (call) => this.#runConfig(call));
    this.#add('command', -1, ({ out }) => done(out.array(0)));
    this.#add('auth', -2, (call) => this.#runAuth(call), { beforeAuth: true });
    this.#add('hello', -1, (call) => this.#runHello(call), { beforeAuth: true });
    this.#add('quit', -1, ({ out, session }) => done(out.raw(OK), (session.leaving = true)), {
      beforeAuth: true,
      endsQueue: true,
    });
  }

  /** `answer` is called when a wait of the session ends. */
  session(id: number, answer: Session['answer']): Session {
    const database = this.#databases[0] as Database;
    const authenticated = this.#password === null;
    return {
      ...{ id, database, authenticated, resp3: false, name: '', leaving: false },
      ...{ queued: null, spoiled: false, waiting: null, answer },
    };
  }

  run(
    session: Session,
    bytes: Buffer,
    bounds: readonly number[],
    argumentCount: number,
    out: ReplyBuffer,
  ): void {
    const entry = this.#find(bytes, bounds);
    const { statistics, waitingRoom } = this;
    const call = { session, bytes, bounds, argumentCount, out, statistics, waitingRoom, mayWait: true };
    const refusal = this.#refusal(call, entry);
    if (refusal !== null) {
      if (entry !== undefined) entry.count.rejected++;
      if (session.queued !== null) session.spoiled = true;
      out.error(refusal);
    } else if (session.queued !== null && entry?.endsQueue === false) {
      session.queued.push(kept(call));
      out.raw(QUEUED);
    } else {
      this.#carryOut(entry as Entry, call);
      waitingRoom.serve();
    }
  }

  #carryOut(entry: Entry, call: Call): void {
    entry.count.calls++;
    if (!entry.run(call)) entry.count.failed++;
  }

  /** Why a command is not even tried; null: it is. */
  #refusal({ session, bytes, bounds, argumentCount }: Call, entry: Entry | undefined): string | null {
    if (entry === undefined) {
      const from = bounds[0] as number;
      const name = bytes.toString('latin1', from, Math.min(bounds[1] as number, from + 64));
      return `ERR unknown command '${name.replace(/[^ -~]/g, '?')}'`;
    }
    if (!session.authenticated && !entry.beforeAuth) return 'NOAUTH Authentication required.';
    const { arity } = entry;
    if (arity >= 0 ? argumentCount !== arity : argumentCount < -arity)
      return `ERR wrong number of arguments for '${entry.count.name}' command`;
    return null;
  }

  #add(
    name: string,
    arity: number,
    run: Run,
    { beforeAuth = false, endsQueue = false }: { beforeAuth?: boolean; endsQueue?: boolean } = {},
  ): void {
    this.#entries.set(name, { arity, beforeAuth, endsQueue, run, count: this.statistics.of(name) });
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

  #clear(): void {
    for (const database of this.#databases) database.clear();
  }

  #runMulti(call: Call): boolean {
    if (call.session.queued !== null) return refuse(call, 'ERR MULTI calls can not be nested');
    call.session.queued = [];
    return done(call.out.raw(OK));
  }

  #runDiscard(call: Call): boolean {
    if (call.session.queued === null) return refuse(call, 'ERR DISCARD without MULTI');
    endQueue(call.session);
    return done(call.out.raw(OK));
  }

  #runExec(call: Call): boolean {
    const { session, out } = call;
    const { queued, spoiled } = session;
    if (queued === null) return refuse(call, 'ERR EXEC without MULTI');
    endQueue(session);
    if (spoiled) return refuse(call, 'EXECABORT Transaction discarded because of previous errors.');
    out.array(queued.length);
    for (const command of queued)
      this.#carryOut(this.#find(command.bytes, command.bounds) as Entry, {
        ...call,
        ...command,
        mayWait: false,
      });
    return true;
  }

  #runSelect(call: Call): boolean {
    const asked = text(call, 1);
    const database = /^\d{1,6}$/.test(asked) ? this.#databases[Number(asked)] : undefined;
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
          databases: this.#databases,
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
    if (call.argumentCount > 3) return refuse(call, SYNTAX);
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

function endQueue(session: Session): void {
  session.queued = null;
  session.spoiled = false;
}

/** A copy that outlives the read that the command came in. */
function kept({ bytes, bounds, argumentCount }: Call): QueuedCommand {
  const from = bounds[0] as number;
  const end = bounds[2 * argumentCount - 1] as number;
  return {
    bytes: Buffer.from(bytes.subarray(from, end)),
    bounds: bounds.slice(0, 2 * argumentCount).map((at) => at - from),
    argumentCount,
  };
}
