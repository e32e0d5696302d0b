import { type Hello, type MonotonicMs, type Plan, PROTOCOL_VERSION } from '@pacecar/protocol';
import { ClockOffset } from './clock-offset.js';
import type { Refusal } from './outbox.js';
import { sameSecret } from './secret-comparison.js';

/** A worker that has been taken in. */
export interface Member {
  /** In the run: groups take the indexes in the plan's order. */
  readonly index: number;
  readonly group: string;
  readonly name: string;
  readonly workerId: string;
  readonly generation: number;
  readonly clock: ClockOffset;
  /** null while its connection is cut. */
  connection: number | null;
  /** It has answered on a connection since its welcome, so it knows that it is in. */
  confirmed: boolean;
  lost: boolean;
  lastHeardMs: MonotonicMs;
  /** The ping that is under way. One at a time, so that exchanges do not queue behind each other. */
  ping: { readonly id: number; readonly sentMs: MonotonicMs } | null;
  /** Exchanges left of the present burst; the clock counts as measured at 0. */
  burst: number;
}

export type Admission =
  /** `replaced`: those that had to make room before the run, as they were. */
  | { readonly kind: 'joined'; readonly member: Member; readonly replaced: readonly Member[] }
  | { readonly kind: 'resumed'; readonly member: Member; readonly oldConnection: number | null }
  /** `lost`: a member that comes as if it had never been in has nothing more of the run, and why. */
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly lost: { readonly member: Member; readonly why: string } | null;
    };

interface Range {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

/** Who is in the run: seats by index, names, identities, connections. */
export class Membership {
  readonly size: number;
  readonly #ranges: readonly Range[];
  readonly #seats: (Member | null)[];
  readonly #byId = new Map<string, Member>();
  readonly #byConnection = new Map<number, Member>();
  readonly #byName = new Map<string, Member>();
  readonly #epoch: number;
  readonly #token: string | null;

  constructor(plan: Plan, epoch: number, token: string | null) {
    let start = 0;
    this.#ranges = plan.groups.map(({ name, size }) => {
      const range = { name, start, size };
      start += size;
      return range;
    });
    this.size = start;
    this.#seats = new Array<Member | null>(start).fill(null);
    this.#epoch = epoch;
    this.#token = token;
  }

  /** Every member, lost ones too, by index. */
  *members(): Generator<Member> {
    for (const seat of this.#seats) if (seat !== null) yield seat;
  }

  /** Members of a group that are not lost, by index. */
  liveIn(group: string): Member[] {
    return [...this.members()].filter((member) => member.group === group && !member.lost);
  }

  at(index: number): Member | null {
    return this.#seats[index] ?? null;
  }

  of(connection: number): Member | null {
    return this.#byConnection.get(connection) ?? null;
  }

  /**
   * Judges a hello and, unless it is refused, gives the connection to its member. `closed`: why nobody new is taken
   * in any more; null while everybody may join.
   */
  admit(hello: Hello, connection: number, nowMs: MonotonicMs, closed: string | null): Admission {
    if (hello.version !== PROTOCOL_VERSION)
      return refused(
        'VERSION_MISMATCH',
        `the worker speaks protocol version ${hello.version}, the coordinator ${PROTOCOL_VERSION}: run the same version of Pacecar on both`,
      );
    if (this.#token !== null && !sameSecret(this.#token, hello.token ?? ''))
      return refused(
        'TOKEN_REJECTED',
        hello.token === null ? 'a token is required and none was given' : 'the token is wrong',
      );
    if (hello.resumeEpoch !== null && hello.resumeEpoch !== this.#epoch)
      return refused(
        'EPOCH_STALE',
        `the worker comes back to run ${hello.resumeEpoch}, but this is run ${this.#epoch}: that run is over`,
      );
    const known = this.#byId.get(hello.workerId);
    if (known !== undefined) return this.#admitKnown(known, hello, connection, nowMs, closed);
    return this.#admitNew(hello, connection, nowMs, closed, []);
  }

  /** The member's connection is gone. */
  cut(member: Member): void {
    if (member.connection !== null) this.#byConnection.delete(member.connection);
    member.connection = null;
    member.ping = null;
  }

  /** Gives the seat free, before the run. */
  remove(member: Member): void {
    this.cut(member);
    this.#seats[member.index] = null;
    this.#byId.delete(member.workerId);
    this.#byName.delete(member.name);
  }

  /** What each group that is not full lacks, in words. */
  missing(): string[] {
    return this.#ranges.flatMap(({ name, start, size }) => {
      const present = this.#seats.slice(start, start + size).filter((seat) => seat !== null);
      const away = present.filter(({ connection }) => connection === null).map((member) => member.name);
      if (present.length === size && away.length === 0) return [];
      const have = present.length === 0 ? '' : ` (${present.map((member) => member.name).join(', ')})`;
      const cut = away.length === 0 ? '' : `, of which ${away.join(', ')} lost the connection`;
      return [`group ${name}: ${present.length} of ${size} workers joined${have}${cut}`];
    });
  }

  #admitKnown(
    known: Member,
    hello: Hello,
    connection: number,
    nowMs: MonotonicMs,
    closed: string | null,
  ): Admission {
    if (known.lost)
      return refused('TOO_LATE', `worker ${known.name} was given up as lost; this run goes on without it`);
    if (hello.generation < known.generation)
      return refused('TOO_LATE', `a newer process of worker ${known.name} has taken its place`);
    // A hello without an epoch from a worker that never knew it was in: the welcome was lost with the connection.
    const samePlace =
      hello.generation === known.generation && (hello.resumeEpoch !== null || !known.confirmed);
    if (samePlace) {
      const oldConnection = known.connection;
      this.cut(known);
      this.#connect(known, connection, nowMs);
      return { kind: 'resumed', member: known, oldConnection };
    }
    if (closed !== null) {
      const why =
        hello.generation > known.generation ? 'its process was started anew' : 'it gave up its place';
      const refusal = { code: 'TOO_LATE', reason: `worker ${known.name}: ${why}, and ${closed}` } as const;
      return { kind: 'refused', refusal, lost: { member: known, why } };
    }
    return this.#admitNew(hello, connection, nowMs, closed, [known]);
  }

  /**
   * `restarted`: an older process of the same worker. It makes room for the new member, and so does whoever is cut and
   * stands in its way, since a worker that died is often started anew under the same name; but only if it is taken in.
   */
  #admitNew(
    hello: Hello,
    connection: number,
    nowMs: MonotonicMs,
    closed: string | null,
    restarted: readonly Member[],
  ): Admission {
    if (closed !== null) return refused('TOO_LATE', closed);
    const range = this.#rangeFor(hello);
    if ('code' in range) return { kind: 'refused', refusal: range, lost: null };
    const leaving = new Set(restarted);
    const stays = (member: Member | null | undefined): member is Member =>
      member !== null && member !== undefined && !leaving.has(member);
    const namesake = hello.name === null ? null : this.#byName.get(hello.name);
    if (stays(namesake)) {
      if (namesake.connection !== null)
        return refused(
          'NAME_TAKEN',
          `a worker named ${hello.name} is in already: give each worker a name of its own`,
        );
      leaving.add(namesake);
    }
    const seat = this.#seatIn(range, hello.index, stays);
    if ('code' in seat) return { kind: 'refused', refusal: seat, lost: null };
    if (stays(seat.holder)) leaving.add(seat.holder);
    const replaced = [...leaving].map((member) => ({ ...member }));
    for (const member of leaving) this.remove(member);
    const { index } = seat;
    const member: Member = {
      index,
      group: range.name,
      name: hello.name ?? this.#freeName(range, index),
      workerId: hello.workerId,
      generation: hello.generation,
      clock: new ClockOffset(),
      connection: null,
      confirmed: false,
      lost: false,
      lastHeardMs: nowMs,
      ping: null,
      burst: 0,
    };
    this.#seats[index] = member;
    this.#byId.set(member.workerId, member);
    this.#byName.set(member.name, member);
    this.#connect(member, connection, nowMs);
    return { kind: 'joined', member, replaced };
  }

  #connect(member: Member, connection: number, nowMs: MonotonicMs): void {
    member.connection = connection;
    member.lastHeardMs = nowMs;
    this.#byConnection.set(connection, member);
  }

  #rangeFor(hello: Hello): Range | Refusal {
    const names = this.#ranges.map(({ name }) => name).join(', ');
    if (hello.group !== null) {
      const range = this.#ranges.find(({ name }) => name === hello.group);
      return (
        range ?? { code: 'GROUP_UNKNOWN', reason: `there is no group ${hello.group}; the plan has ${names}` }
      );
    }
    if (this.#ranges.length === 1) return this.#ranges[0] as Range;
    const { index } = hello;
    if (index === null)
      return {
        code: 'GROUP_UNKNOWN',
        reason: `the worker names no group, and the plan has several: ${names}`,
      };
    const range = this.#ranges.find(({ start, size }) => index >= start && index < start + size);
    return range ?? { code: 'INDEX_TAKEN', reason: `index ${index} is not in 0..${this.size - 1}` };
  }

  /** The seat for a new member, and who is cut and loses it. `stays` tells who keeps theirs. */
  #seatIn(
    { name, start, size }: Range,
    wanted: number | null,
    stays: (member: Member | null) => member is Member,
  ): { readonly index: number; readonly holder: Member | null } | Refusal {
    if (wanted !== null) {
      if (wanted < start || wanted >= start + size)
        return {
          code: 'INDEX_TAKEN',
          reason: `index ${wanted} is outside group ${name}, which has ${start}..${start + size - 1}`,
        };
      const holder = this.at(wanted);
      return stays(holder) && holder.connection !== null
        ? { code: 'INDEX_TAKEN', reason: `worker ${holder.name} has index ${wanted} already` }
        : { index: wanted, holder };
    }
    const seats = this.#seats.slice(start, start + size);
    const free = seats.findIndex((holder) => !stays(holder));
    const index = free >= 0 ? free : seats.findIndex((holder) => holder?.connection === null);
    return index >= 0
      ? { index: start + index, holder: seats[index] ?? null }
      : { code: 'TOO_LATE', reason: `group ${name} has all its ${size} workers` };
  }

  #freeName({ name, start }: Range, index: number): string {
    // Room for the number within the limit on names.
    const base = `${[...name].slice(0, 40).join('')}-${index - start}`;
    let free = base;
    for (let again = 2; this.#byName.has(free); again++) free = `${base}-${again}`;
    return free;
  }
}

function refused(code: Refusal['code'], reason: string): Admission & { kind: 'refused' } {
  return { kind: 'refused', refusal: { code, reason }, lost: null };
}
