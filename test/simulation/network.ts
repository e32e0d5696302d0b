import type { SimulatedProcess } from './process.js';
import type { Random } from './random.js';
import type { World } from './world.js';

export interface NetworkProfile {
  /** One way: at least this, and up to so much more. */
  readonly baseMs: number;
  readonly jitterMs: number;
  /** Now and then a message takes up to so long. */
  readonly spikeMs: number;
}

type Payload = string | Uint8Array;

/** One end of a connection, as its process sees it. */
export class Socket {
  readonly process: SimulatedProcess;
  readonly wire: Wire;
  onMessage: (payload: Payload) => void = () => undefined;
  onClosed: (reason: string) => void = () => undefined;
  /** Its own process has closed it, or was told that it is closed: nothing more comes. */
  closed = false;

  constructor(process: SimulatedProcess, wire: Wire) {
    this.process = process;
    this.wire = wire;
  }

  send(payload: Payload): void {
    if (!this.closed) this.wire.carry(this, payload);
  }

  /** What was sent before still arrives; then the peer is told. */
  close(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.wire.carry(this, null, reason);
  }

  receive(payload: Payload | null, reason: string): void {
    this.process.run(() => {
      if (this.closed) return;
      if (payload !== null) {
        this.onMessage(payload);
        return;
      }
      this.closed = true;
      this.onClosed(reason);
    });
  }
}

/** A TCP connection: in order in each direction, until it is cut. */
export class Wire {
  readonly dialer: Socket;
  readonly listener: Socket;
  readonly #network: SimulatedNetwork;
  /** Arrival of the last message, by sending end; nothing overtakes. */
  readonly #lastMs = new Map<Socket, number>();
  #cut = false;
  #stalledUntilMs = 0;
  #mute = false;

  constructor(network: SimulatedNetwork, dialer: SimulatedProcess, listener: SimulatedProcess) {
    this.#network = network;
    this.dialer = new Socket(dialer, this);
    this.listener = new Socket(listener, this);
  }

  get open(): boolean {
    return !this.#cut && !(this.dialer.closed && this.listener.closed);
  }

  /** `payload` null: the end of the stream. */
  carry(from: Socket, payload: Payload | null, reason = ''): void {
    const { world } = this.#network;
    const earliestMs = world.nowMs + this.#network.delayMs();
    const arrivalMs = Math.max(earliestMs, this.#lastMs.get(from) ?? 0, this.#stalledUntilMs);
    this.#lastMs.set(from, arrivalMs);
    world.after(arrivalMs - world.nowMs, () => this.#arrive(from, payload, reason));
  }

  #arrive(from: Socket, payload: Payload | null, reason: string): void {
    if (this.#cut || (this.#mute && from === this.dialer)) return;
    const { world } = this.#network;
    // Sent before the stall began: held back with the rest, in order.
    if (world.nowMs < this.#stalledUntilMs) {
      world.after(this.#stalledUntilMs - world.nowMs, () => this.#arrive(from, payload, reason));
      return;
    }
    const to = from === this.dialer ? this.listener : this.dialer;
    to.receive(payload, reason);
  }

  /** Nothing that is under way arrives. Each end learns of it after so long; null: never. */
  cut(reason: string, dialerLearnsMs: number | null, listenerLearnsMs: number | null): void {
    if (this.#cut) return;
    this.#cut = true;
    const { world } = this.#network;
    if (dialerLearnsMs !== null) world.after(dialerLearnsMs, () => this.dialer.receive(null, reason));
    if (listenerLearnsMs !== null) world.after(listenerLearnsMs, () => this.listener.receive(null, reason));
  }

  /** From now on nothing of the dialer arrives. A cut has to follow: TCP loses nothing on a living connection. */
  muteDialer(): void {
    this.#mute = true;
  }

  /** Nothing arrives for so long, but nothing is lost either. */
  stall(forMs: number): void {
    const { nowMs } = this.#network.world;
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, nowMs + forMs);
    for (const socket of [this.dialer, this.listener])
      this.#lastMs.set(socket, Math.max(this.#lastMs.get(socket) ?? 0, this.#stalledUntilMs));
  }
}

/** Everybody dials the coordinator. */
export class SimulatedNetwork {
  readonly world: World;
  readonly #random: Random;
  readonly #profile: NetworkProfile;
  /** By name of the dialing process: no connection opens before that moment. */
  readonly #downUntilMs = new Map<string, number>();
  #accept: { readonly process: SimulatedProcess; readonly accept: (socket: Socket) => void } | null = null;

  constructor(world: World, random: Random, profile: NetworkProfile) {
    this.world = world;
    this.#random = random;
    this.#profile = profile;
  }

  delayMs(): number {
    const { baseMs, jitterMs, spikeMs } = this.#profile;
    const spike = spikeMs > 0 && this.#random.chance(0.02) ? this.#random.between(0, spikeMs) : 0;
    return baseMs + this.#random.between(0, jitterMs) + spike;
  }

  listen(process: SimulatedProcess, accept: (socket: Socket) => void): void {
    this.#accept = { process, accept };
  }

  down(name: string, forMs: number): void {
    const untilMs = this.world.nowMs + forMs;
    this.#downUntilMs.set(name, Math.max(this.#downUntilMs.get(name) ?? 0, untilMs));
  }

  dial(process: SimulatedProcess, opened: (socket: Socket) => void, failed: (reason: string) => void): void {
    this.world.after(this.delayMs(), () => {
      const listener = this.#accept;
      const down = (this.#downUntilMs.get(process.name) ?? 0) > this.world.nowMs;
      if (listener === null || !listener.process.alive || down) {
        const lateMs = down ? this.#random.between(0, 300) : 0;
        this.world.after(lateMs, () => process.run(() => failed(down ? 'no route' : 'connection refused')));
        return;
      }
      if (!process.alive) return;
      const wire = new Wire(this, process, listener.process);
      listener.process.onDeath(() => this.#hangUp(wire, wire.listener));
      process.onDeath(() => this.#hangUp(wire, wire.dialer));
      listener.process.run(() => listener.accept(wire.listener));
      this.world.after(this.delayMs(), () =>
        process.run(() => {
          if (wire.dialer.closed) failed('reset by peer');
          else opened(wire.dialer);
        }),
      );
    });
  }

  /** A process has died: its kernel says so, or takes back what was under way, or the whole machine is gone. */
  #hangUp(wire: Wire, end: Socket): void {
    // Closed before: its last words are under way already.
    if (end.closed) return;
    const fate = this.#random.next();
    if (fate < 0.5) {
      end.close('the peer has died');
      return;
    }
    const learnsMs = fate < 0.8 ? this.delayMs() : null;
    if (end === wire.dialer) wire.cut('reset by peer', null, learnsMs);
    else wire.cut('reset by peer', learnsMs, null);
  }
}
