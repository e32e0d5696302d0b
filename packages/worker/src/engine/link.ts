import type { Channel } from './driver-port.js';
import type { Lane } from './lane.js';

/** Attempts to connect that one thread has under way at a time: a burst overflows the target's backlog. */
const OPENING_AT_ONCE = 64;
/** A connection that could not be opened anew waits this long, and twice as long each time after. */
const FIRST_BACK_OFF_NS = 10e6;
const LONGEST_BACK_OFF_NS = 1e9;

/** One connection: the engine's side and the driver's side of it. */
export interface Link {
  readonly lane: Lane;
  readonly channel: Channel;
  state: 'waiting' | 'opening' | 'open';
  notBeforeNs: number;
  backOffNs: number;
}

/** A thread's connections in the order of their lanes: which are open, and when the others are tried again. */
export class Links {
  readonly all: readonly Link[];
  #waiting: number;
  #opening = 0;
  /** Where the last search for a waiting connection stopped: the next one goes on there. */
  #cursor = 0;

  constructor(pairs: readonly { readonly lane: Lane; readonly channel: Channel }[]) {
    this.all = pairs.map((pair) => ({ ...pair, state: 'waiting', notBeforeNs: 0, backOffNs: 0 }));
    this.#waiting = this.all.length;
  }

  of(lane: Lane): Link {
    return this.all[lane.index] as Link;
  }

  /** Tries every connection whose time has come and that is `wanted`, one attempt at a time each. */
  openDue(nowNs: number, wanted: (link: Link) => boolean): void {
    for (let looked = 0; looked < this.all.length; looked++) {
      if (this.#waiting === 0 || this.#opening >= OPENING_AT_ONCE) return;
      const link = this.all[this.#cursor] as Link;
      this.#cursor = (this.#cursor + 1) % this.all.length;
      if (link.state !== 'waiting' || link.notBeforeNs > nowNs || !wanted(link)) continue;
      link.state = 'opening';
      this.#waiting--;
      this.#opening++;
      link.channel.open();
    }
  }

  opened(lane: Lane): Link {
    const link = this.of(lane);
    link.state = 'open';
    link.backOffNs = 0;
    this.#opening--;
    return link;
  }

  refused(lane: Lane, nowNs: number): void {
    const link = this.of(lane);
    this.#opening--;
    this.#waiting++;
    link.state = 'waiting';
    link.backOffNs = Math.min(LONGEST_BACK_OFF_NS, Math.max(FIRST_BACK_OFF_NS, link.backOffNs * 2));
    link.notBeforeNs = nowNs + link.backOffNs;
  }

  /** The connection is gone. The first attempt may follow at once; only attempts that fail wait longer and longer. */
  gone(link: Link, nowNs: number): void {
    link.state = 'waiting';
    this.#waiting++;
    link.notBeforeNs = nowNs;
  }

  closeAll(): void {
    for (const { channel } of this.all) channel.close();
  }
}
