import type { Channel } from './driver-port.js';
import type { Lane } from './lane.js';
import type { LanePair } from './stage-lanes.js';

/** Attempts to connect that one thread has under way at a time: a burst overflows the target's backlog. */
const OPENING_AT_ONCE = 64;
const MS = 1e6;

/** One connection: the engine's side and the driver's side of it. */
export interface Link {
  readonly lane: Lane;
  readonly channel: Channel;
  /** An attempt that failed is followed by a pause, twice as long each time, up to the longest. */
  readonly firstBackOffNs: number;
  readonly longestBackOffNs: number;
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

  constructor(pairs: readonly LanePair[]) {
    this.all = pairs.map(({ lane, channel, reconnect }) => ({
      lane,
      channel,
      firstBackOffNs: reconnect.firstBackOffMs * MS,
      longestBackOffNs: Math.max(reconnect.firstBackOffMs, reconnect.longestBackOffMs) * MS,
      state: 'waiting',
      notBeforeNs: 0,
      backOffNs: 0,
    }));
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
      this.#open(link);
    }
  }

  /** Closes a connection on which nothing is in flight and opens it anew, at once if that many may be under way. */
  renew(link: Link, nowNs: number): void {
    link.channel.close();
    this.gone(link, nowNs);
    if (this.#opening < OPENING_AT_ONCE) this.#open(link);
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
    link.backOffNs = Math.min(link.longestBackOffNs, Math.max(link.firstBackOffNs, link.backOffNs * 2));
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

  #open(link: Link): void {
    link.state = 'opening';
    this.#waiting--;
    this.#opening++;
    link.channel.open();
  }
}
