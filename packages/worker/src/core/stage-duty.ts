import {
  type Acknowledge,
  type Arm,
  type Go,
  type Inserted,
  LIMITS,
  type ServiceDied,
  type Stop,
} from '@pacecar/protocol';
import type { Outbox } from './outbox.js';
import { SessionStage } from './session-stage.js';
import type { SessionInput, StagePlace } from './step.js';

/** As much of a reason as a message may carry. */
const MOST_REASON = 2_000;

/** What the coordinator says of stages, carried to the engine; what the engine says, carried to the coordinator. */
export class StageDuty {
  readonly #outbox: Outbox;
  /** The one armed last, and before it those that run in the background. */
  #stages: readonly SessionStage[] = [];
  /** The run in which this worker was told to do something to a service; null: it was not. */
  #serviceEpoch: number | null = null;
  /** Told again until the run ends, which it does for that. */
  readonly #deaths: ServiceDied[] = [];

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** `worker` is this worker's index in the run. */
  arm(arm: Arm, worker: number): void {
    const newest = this.#stages.at(-1);
    const known = this.#at(arm);
    if (known !== undefined) {
      // Sent again after a reconnect.
      this.#outbox.say(known.report);
    } else if (newest !== undefined && newest.compare(arm) < 0) {
      const place = `stage ${arm.stage} of cell ${arm.cell}`;
      this.#outbox.log('warn', `arm of ${place} is ignored: ${newest.label} came after it`);
    } else {
      // Of any other stage the barrier is closed, so the coordinator has its frames.
      const stays = (stage: SessionStage) =>
        stage.isBackground && stage.state !== 'drained' && stage.arm.cell === arm.cell;
      this.#drop((stage) => !stays(stage));
      this.#stages = [...this.#stages, new SessionStage(arm)];
      if (arm.service !== undefined) this.#serviceEpoch = arm.epoch;
      this.#outbox.push({ kind: 'engine-arm', arm, worker });
    }
  }

  order(message: Go | Stop | Acknowledge | Inserted): void {
    const stage = this.#at(message);
    if (stage === undefined) {
      // The stage was closed or dropped while this was on its way.
      if (message.type === 'go' || message.type === 'stop') {
        const place = `stage ${message.stage} of cell ${message.cell}`;
        this.#outbox.log('warn', `${message.type} of ${place} is ignored`);
      }
      return;
    }
    switch (message.type) {
      case 'acknowledge':
        stage.acknowledged(message.sequence);
        return;
      case 'stop':
        this.#stop(stage, message.reason);
        return;
      case 'inserted':
        // What has drained reads no more.
        if (stage.state === 'running')
          this.#outbox.push({ kind: 'engine-inserted', at: stage.place, inserts: message.inserts });
        return;
      case 'go':
        // Otherwise sent again after a reconnect.
        if (stage.state !== 'armed') return;
        stage.move('running', null);
        this.#outbox.push({
          kind: 'engine-go',
          at: stage.place,
          startAtMs: message.startAtMs,
          known:
            stage.arm.service === undefined ? {} : { peers: message.peers ?? [], away: message.away ?? [] },
        });
    }
  }

  engine(input: SessionInput & { readonly kind: `engine-${string}` }): void {
    const stage = this.#at(input.at);
    if (stage === undefined || !stage.engaged) {
      this.#outbox.log('warn', `${input.kind} of a stage that was dropped is ignored`);
      return;
    }
    const { reference } = stage;
    switch (input.kind) {
      case 'engine-armed': {
        const { connections, target, nodes } = input;
        const own = nodes === undefined ? {} : { nodes };
        stage.move('armed', { type: 'armed', ...reference, connections, target, ...own });
        break;
      }
      case 'engine-failed': {
        const { code, reason } = input;
        this.#outbox.log('error', `${stage.label}: ${reason} (${code})`);
        stage.move('failed', { type: 'failed', ...reference, code, reason });
        break;
      }
      case 'engine-drained': {
        const { lastSequence, elapsedNs, totals, report } = input;
        const said = report === undefined ? {} : { report };
        stage.move('drained', { type: 'drained', ...reference, lastSequence, elapsedNs, totals, ...said });
        break;
      }
      case 'engine-frame':
        this.#frame(stage, input.sequence, input.bytes);
        return;
    }
    this.#outbox.say(stage.report);
  }

  /** A server that this worker runs has ended by itself. */
  died(service: string, reason: string): void {
    this.#outbox.log('error', reason);
    if (this.#serviceEpoch === null) return;
    const death: ServiceDied = {
      type: 'service-died',
      epoch: this.#serviceEpoch,
      service,
      reason: reason.slice(0, MOST_REASON),
    };
    this.#deaths.push(death);
    this.#outbox.say(death);
  }

  /** The worker is back in its run: says again whatever may have been lost with the connection. */
  resume(): void {
    for (const stage of this.#stages) for (const said of stage.unsettled()) this.#outbox.say(said);
    for (const death of this.#deaths) this.#outbox.say(death);
  }

  /** Ends all load and every service at once, and forgets the stages. */
  drop(): void {
    this.#drop(() => true);
    if (this.#serviceEpoch === null) return;
    this.#serviceEpoch = null;
    this.#deaths.length = 0;
    this.#outbox.push({ kind: 'engine-release' });
  }

  #drop(which: (stage: SessionStage) => boolean): void {
    for (const stage of this.#stages)
      if (which(stage) && stage.engaged) this.#outbox.push({ kind: 'engine-abandon', at: stage.place });
    this.#stages = this.#stages.filter((stage) => !which(stage));
  }

  #at(place: StagePlace): SessionStage | undefined {
    return this.#stages.find((stage) => stage.compare(place) === 0);
  }

  #frame(stage: SessionStage, sequence: number, bytes: Uint8Array): void {
    if (stage.keep(sequence, bytes)) {
      this.#outbox.say(bytes);
      return;
    }
    // Statistics must not be lost unnoticed: rather no load than one that nobody counts.
    const reason = `${LIMITS.unacknowledgedFrames} frames wait to be acknowledged, which is all that are kept`;
    this.#outbox.log('error', `${stage.label}: ${reason}`);
    this.#outbox.push({ kind: 'engine-abandon', at: stage.place });
    stage.move('failed', { type: 'failed', ...stage.reference, code: 'LIMIT_EXCEEDED', reason });
    this.#outbox.say(stage.report);
  }

  #stop(stage: SessionStage, reason: string): void {
    if (!stage.engaged || stage.stopped) return;
    stage.stopped = true;
    if (stage.isBackground) this.#outbox.log('info', `${stage.label} is told to end: ${reason}`);
    else this.#outbox.log('warn', `${stage.label} ends early: ${reason}`);
    if (stage.state === 'running') {
      this.#outbox.push({ kind: 'engine-stop', at: stage.place, reason });
      return;
    }
    // Its go never came, so nothing was sent.
    this.#outbox.push({ kind: 'engine-abandon', at: stage.place });
    stage.move('drained', {
      type: 'drained',
      ...stage.reference,
      lastSequence: -1,
      elapsedNs: 0,
      totals: [],
    });
    this.#outbox.say(stage.report);
  }
}
