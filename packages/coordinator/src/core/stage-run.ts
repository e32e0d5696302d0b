import type {
  Arm,
  Armed,
  Cell,
  Drained,
  FailureCode,
  Frame,
  MonotonicMs,
  Plan,
  ProbeJudgement,
  Stage,
} from '@pacecar/protocol';
import { InsertBoard } from './insert-board.js';
import type { Member } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import type { Assignment } from './programme.js';
import type { ProbeOrder } from './search/search-run.js';
import type { ServiceBoard } from './service-board.js';
import { StageJudge } from './stage-judge.js';
import { StagePart } from './stage-part.js';
import { stageSeed } from './stage-seed.js';
import { CLOSE_SLACK_MS } from './timing.js';

/** One stage of one cell, from arming to its barrier. */
export class StageRun {
  readonly cell: Cell;
  readonly cellIndex: number;
  readonly stageIndex: number;
  /** Position in the cell's list of stages. */
  readonly planned: number;
  readonly spec: Stage;
  /** The probe of a search; null: it is none. */
  readonly probe: ProbeOrder | null;
  /** Common start on the coordinator's clock; null until all are armed. */
  startAtMs: MonotonicMs | null = null;
  readonly #reference: { readonly epoch: number; readonly cell: number; readonly stage: number };
  readonly #parts = new Map<number, StagePart>();
  /** Whom the present step waits for: not armed yet, later not kept yet. */
  readonly #waiting = new Set<number>();
  /** Why everyone was told to drain; null: nobody was. */
  #stopping: string | null = null;
  readonly #judge: StageJudge;
  readonly #outbox: Outbox;
  readonly #board: InsertBoard;
  readonly #services: ServiceBoard;

  constructor(
    plan: Plan,
    epoch: number,
    { cell, stage, planned, spec, probe }: Assignment,
    members: readonly Member[],
    services: ServiceBoard,
    outbox: Outbox,
  ) {
    const position = { cell, stage };
    this.cellIndex = cell;
    this.stageIndex = stage;
    this.planned = planned;
    this.cell = plan.cells[cell] as Cell;
    this.spec = spec;
    this.probe = probe;
    this.#judge = new StageJudge(plan, spec, probe, members.length);
    this.#reference = { epoch, ...position };
    this.#outbox = outbox;
    this.#board = new InsertBoard(this.spec, members.length, plan.intervalMs);
    this.#services = services;
    const seed = stageSeed(plan.seed, this.cell.repetition, position.stage);
    outbox.event({ type: 'stage-arming', ...position, workers: members.map(({ index }) => index) });
    members.forEach((member, index) => {
      const share = { index, of: members.length };
      const arm: Arm = {
        type: 'arm',
        ...this.#reference,
        ...services.told(spec, this.cell),
        spec,
        share,
        seed,
        intervalMs: plan.intervalMs,
      };
      const part = new StagePart(member, arm, outbox);
      this.#parts.set(member.index, part);
      this.#waiting.add(member.index);
      part.sendArm();
    });
  }

  /** Negative, 0 or positive: the stage of a message is past, this one, or to come. */
  compare(position: { readonly cell: number; readonly stage: number }): number {
    return position.cell - this.cellIndex || position.stage - this.stageIndex;
  }

  has(member: Member): boolean {
    return this.#parts.has(member.index);
  }

  /** Nobody is waited for: all are armed, or the barrier is passed. */
  get settled(): boolean {
    return this.#waiting.size === 0;
  }

  /** Workers that still take part. */
  get liveCount(): number {
    let live = 0;
    for (const { state } of this.#parts.values()) if (state !== 'gone') live++;
    return live;
  }

  /** It runs beside the stages after it, until the one of this name has closed; null: the run waits for its end. */
  get until(): string | null {
    return this.spec.end.kind === 'stage' ? this.spec.end.stage : null;
  }

  /** The load has ended on at least one worker. */
  get draining(): boolean {
    return this.startAtMs !== null && this.#waiting.size < this.#parts.size;
  }

  waitingNames(): string[] {
    return this.#waitingParts().map(({ member }) => member.name);
  }

  armed(member: Member, message: Armed): Refusal | null {
    const part = this.#parts.get(member.index);
    if (part === undefined) return this.#notYours(member);
    // A worker says it again after a reconnect.
    if (part.state !== 'arming') return null;
    part.move('armed');
    this.#waiting.delete(member.index);
    this.#services.add(this.spec, message.nodes ?? []);
    this.#outbox.event({
      type: 'worker-armed',
      ...this.#position,
      worker: member.index,
      connections: message.connections,
      target: message.target,
    });
    return null;
  }

  /** All are armed: gives everyone the same moment, in each worker's own clock. */
  go(startAtMs: MonotonicMs, runBeganMs: MonotonicMs): void {
    this.startAtMs = startAtMs;
    const workers = [];
    const services = this.#services.begun(this.spec);
    for (const part of this.#parts.values()) {
      if (part.state === 'gone') continue;
      const clock = part.member.clock.estimate(startAtMs);
      if (clock === null) throw new Error(`go without a measured clock of worker ${part.member.name}`);
      part.startAtWorkerMs = startAtMs + clock.offsetMs;
      part.move('running');
      this.#waiting.add(part.member.index);
      part.begin(services);
      workers.push({
        worker: part.member.index,
        clockErrorMs: clock.errorMs,
        startAtWorkerMs: part.startAtWorkerMs,
      });
    }
    this.#outbox.event({
      type: 'stage-go',
      ...this.#position,
      startAtMs: startAtMs - runBeganMs,
      workers,
    });
  }

  /** When the barrier must have closed, on the coordinator's clock, of a stage that ends by itself. */
  closeByMs(lostAfterMs: number): MonotonicMs {
    if (this.startAtMs === null || this.until !== null)
      throw new Error(`stage ${this.spec.name} has no end of its own yet`);
    const { end, limitMs } = this.spec;
    const lengthMs = end.kind === 'duration' ? end.durationMs : limitMs;
    return (this.startAtMs + lengthMs + this.drainedWithinMs(lostAfterMs)) as MonotonicMs;
  }

  /** How long the barrier may take once the load has ended. */
  drainedWithinMs(lostAfterMs: number): number {
    return this.spec.drainMs + lostAfterMs + CLOSE_SLACK_MS;
  }

  frame(member: Member, frame: Frame, bytes: Uint8Array, nowMs: MonotonicMs): Refusal | null {
    const part = this.#parts.get(member.index);
    if (part === undefined) return this.#notYours(member);
    const judged = part.judge(frame, bytes);
    if (judged === 'old') return null;
    if (judged !== 'new') return judged;
    const { sequence } = frame;
    const wrong = this.#board.take(part.shareIndex, frame);
    if (wrong !== null) return invalid(`frame ${sequence} tells of ${wrong}`);
    const unreadable = this.#judge.add(frame);
    if (unreadable !== null) return invalid(`frame ${sequence} of stage ${this.spec.name}: ${unreadable}`);
    part.nextSequence++;
    this.#report(part, part.tally.add(frame.rows), `frame ${sequence}`);
    this.#outbox.push({
      kind: 'record',
      worker: member.index,
      ...this.#position,
      sequence,
      keep: this.spec.kind !== 'warm-up',
      bytes,
    });
    this.#tellInserted(nowMs);
    return null;
  }

  /** Whether an objective has just come true that ends the stage: its workers are told. */
  stopIfDue(): boolean {
    if (this.#stopping !== null) return false;
    const running = [...this.#parts.values()].filter(({ state }) => state === 'running');
    const reason = this.#judge.stopReason(running.map(({ member }) => member.index));
    if (reason === null) return false;
    this.#outbox.event({ type: 'stage-stopping', ...this.#position, ...reason });
    this.stop(`its objective has come true: ${reason.objective.text}`);
    return true;
  }

  /** What the probe came to, once it has closed; null: a worker was lost in it. */
  judgement(): ProbeJudgement | null {
    return this.liveCount < this.#parts.size ? null : this.#judge.judgement();
  }

  recorded(worker: number, sequence: number): void {
    const part = this.#parts.get(worker);
    if (part === undefined || part.recorded + 1 !== sequence || sequence >= part.nextSequence)
      throw new Error(`the record reports frame ${sequence} of worker ${worker} out of order`);
    part.recorded = sequence;
    part.sendAcknowledge();
    this.#keepIfWhole(part);
  }

  drained(member: Member, message: Drained): Refusal | null {
    const part = this.#parts.get(member.index);
    if (part === undefined) return this.#notYours(member);
    if (part.state === 'arming' || part.state === 'armed')
      return invalid(`drained of stage ${this.spec.name}, which has not started`);
    // A worker says it again after a reconnect.
    if (part.state !== 'running') return null;
    if (message.lastSequence + 1 !== part.nextSequence)
      return invalid(
        `drained of stage ${this.spec.name} with ${message.lastSequence + 1} frames, of which ${part.nextSequence} came`,
      );
    part.move('drained');
    part.lastSequence = message.lastSequence;
    this.#outbox.event({
      type: 'worker-drained',
      ...this.#position,
      worker: member.index,
      lastSequence: message.lastSequence,
      elapsedNs: message.elapsedNs,
      totals: [...message.totals],
    });
    this.#services.report(this.spec, this.#position, member, message);
    this.#report(part, part.tally.settle(message.totals), 'totals');
    this.#keepIfWhole(part);
    return null;
  }

  /** The worker takes no further part, unless it has nothing left to do. */
  drop(member: Member): void {
    const part = this.#parts.get(member.index);
    if (part === undefined || part.state === 'kept' || part.state === 'gone') return;
    part.move('gone');
    this.#waiting.delete(member.index);
  }

  /** A worker is back: says again what may have been lost with its connection. */
  resume(member: Member): void {
    const part = this.#parts.get(member.index);
    if (part === undefined) return;
    if (part.state === 'arming') part.sendArm();
    if (part.recorded >= 0) part.sendAcknowledge();
    if (part.state !== 'running') return;
    part.sendGo();
    for (const inserts of this.#board.all()) part.sendInserted(inserts);
    if (this.#stopping !== null) part.sendStop(this.#stopping);
  }

  /** Tells everyone that still runs to drain now. The first reason stands. */
  stop(reason: string): void {
    if (this.#stopping !== null) return;
    this.#stopping = reason;
    this.#outbox.event({ type: 'stage-stop', ...this.#position, reason });
    for (const part of this.#parts.values()) if (part.state === 'running') part.sendStop(reason);
  }

  /** Writes how the stage ended. `givenUp`: why it was not left to end by itself. */
  close(givenUp: 'failed' | 'interrupted' | null): void {
    const parts = [...this.#parts.values()];
    const kept = parts.filter(({ state }) => state === 'kept').map(({ member }) => member.index);
    const outcome = givenUp ?? (kept.length === parts.length ? 'complete' : 'partial');
    this.#outbox.event({ type: 'stage-closed', ...this.#position, outcome, workers: kept });
  }

  /** A deadline has passed: who is to blame, in words. */
  lateness(): Refusal {
    const parts = this.#waitingParts();
    const where = `stage ${this.spec.name} of cell ${this.cellIndex}`;
    const describe = (part: StagePart): string =>
      part.state === 'drained'
        ? `${part.member.name} (${part.nextSequence - 1 - part.recorded} frames not recorded)`
        : part.member.name;
    const names = parts.map(describe).join(', ');
    if (parts.length > 0 && parts.every(({ state }) => state === 'drained'))
      return {
        code: 'STORAGE',
        reason: `${where}: every worker has drained, but the record is behind: ${names}`,
      };
    const what = this.startAtMs === null ? `armed within ${this.spec.armTimeoutMs} ms` : 'drained in time';
    return { code: 'DEADLINE_PASSED', reason: `${where}: not ${what}: ${names}` };
  }

  get #position(): { cell: number; stage: number } {
    return { cell: this.cellIndex, stage: this.stageIndex };
  }

  #waitingParts(): StagePart[] {
    return [...this.#waiting].map((index) => this.#parts.get(index) as StagePart);
  }

  /** Tells everyone that still runs what the others have inserted, if it is time. */
  #tellInserted(nowMs: MonotonicMs): void {
    const inserts = this.#board.due(this.#waiting.size, nowMs);
    if (inserts === null) return;
    for (const part of this.#parts.values()) if (part.state === 'running') part.sendInserted(inserts);
  }

  #keepIfWhole(part: StagePart): void {
    if (part.state !== 'drained' || part.recorded !== part.lastSequence) return;
    part.move('kept');
    this.#waiting.delete(part.member.index);
  }

  #report(part: StagePart, broken: string | null, where: string): void {
    if (broken === null || part.conservationBroken) return;
    part.conservationBroken = true;
    const reason = `worker ${part.member.name}, ${where}: ${broken}`;
    this.#outbox.event({
      type: 'conservation-broken',
      ...this.#position,
      worker: part.member.index,
      reason,
    });
  }

  #notYours(member: Member): Refusal {
    return invalid(`stage ${this.spec.name} is not for worker ${member.name} of group ${member.group}`);
  }
}

const invalid = (reason: string): Refusal => ({ code: 'MESSAGE_INVALID' satisfies FailureCode, reason });
