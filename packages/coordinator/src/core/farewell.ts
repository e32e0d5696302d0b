import type { FailureCode } from '@pacecar/protocol';
import type { Member, Membership } from './membership.js';
import type { Outbox } from './outbox.js';

/** How a run ends, and why. */
export interface End {
  readonly outcome: 'complete' | 'failed' | 'interrupted';
  readonly code: FailureCode | null;
  readonly reason: string;
}

/** The end of a run, told to everyone. */
export class Farewell {
  readonly #epoch: number;
  readonly #membership: Membership;
  readonly #outbox: Outbox;
  /** Indexes of those that were sent the end. */
  readonly #told = new Set<number>();

  constructor(epoch: number, membership: Membership, outbox: Outbox) {
    this.#epoch = epoch;
    this.#membership = membership;
    this.#outbox = outbox;
  }

  tellAll(end: End): void {
    for (const member of this.#membership.members()) this.tell(member, end);
  }

  tell(member: Member, { code, reason }: End): void {
    if (member.lost) return;
    if (member.connection !== null) this.#told.add(member.index);
    this.#outbox.send(member.connection, { type: 'end', epoch: this.#epoch, code, reason });
  }

  /** A worker that has read the end hangs up; when all have, nobody is waited for. One that is cut may come back. */
  get allGone(): boolean {
    for (const { connection, index, lost } of this.#membership.members())
      if (connection !== null || (!lost && !this.#told.has(index))) return false;
    return true;
  }

  hangUp(): void {
    for (const { connection } of this.#membership.members())
      if (connection !== null) this.#outbox.close(connection, 'the run is over');
  }
}
