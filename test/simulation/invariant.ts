import { decodeFrame, decodeFrameIdentity, type Event, isBackground, type Plan } from '@pacecar/protocol';
import { type Summary, summarize } from '@pacecar/report';
import type { Bundle, CoordinatorNode } from './coordinator-node.js';
import { COORDINATOR } from './fault.js';
import { type Deed, placeKey } from './ledger.js';
import type { Simulation } from './simulation.js';
import { isBeside, stageDisorder } from './stage-order.js';

/** Stopping (2 s) and telling everybody (0.5 s), with late timers. */
const STOP_WITHIN_MS = 3_000;
/** What a stage may take beyond its own times: `CLOSE_SLACK_MS` of the run core. */
const CLOSE_SLACK_MS = 2_000;
/** Timers are late, a few for each step of the way. */
const TIMER_SLACK_MS = 200;

type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;

function eventsOf<T extends Event['type']>(bundle: Bundle, type: T): EventOf<T>[] {
  return bundle.events.filter((event): event is EventOf<T> => event.type === type);
}

/** Everything that must be true when all has come to an end, whatever happened on the way. */
export function checkEnd(simulation: Simulation): void {
  const { world } = simulation;
  for (const { process } of simulation.workers)
    if (process.alive) world.violate(`${process.name} has not come to an end`);
  checkWorkers(simulation);
  for (const node of simulation.coordinators) {
    checkEnded(simulation, node);
    checkInterrupted(simulation, node);
    checkFrames(simulation, node.bundle);
    checkStages(simulation, node);
    checkStarts(simulation, node);
    checkBeside(simulation, node);
    checkDeaths(simulation, node);
    checkInserts(simulation, node);
    checkVerdict(simulation, node);
  }
}

/** Where nothing happened, every worker knows that the run is complete. */
function checkWorkers({ world, workers, case: { weather, afterRun } }: Simulation): void {
  if (weather !== 'calm' || afterRun !== 'exit') return;
  for (const { process, finish } of workers)
    if (finish === null || finish.code !== null)
      world.violate(
        `nothing broke, but ${process.name} ended: ${finish?.code ?? 'killed'} ${finish?.reason ?? ''}`,
      );
}

/** A run ends within its deadlines, and soon after something has gone wrong. */
function checkEnded({ world, case: { plan } }: Simulation, node: CoordinatorNode): void {
  if (node.process.alive) {
    world.violate('the coordinator has not come to an end');
    return;
  }
  if (node.finish === null || node.finishedAtMs === null) return;
  // A stall is forgiven: deadlines move by as much, and once more for what was to happen meanwhile.
  const allowanceMs = 2 * node.process.pausedForMs + TIMER_SLACK_MS;
  const began = eventsOf(node.bundle, 'run-started')[0];
  const ended = eventsOf(node.bundle, 'run-ended');
  if (began === undefined || ended.length !== 1) {
    world.violate(`a finished run has ${ended.length} ends in its record`);
    return;
  }
  if (node.bundle.events.at(-1) !== ended[0]) world.violate('something is recorded after the end of the run');
  if (ended[0]?.outcome !== node.finish.outcome) world.violate('the record and the run end differently');
  const lastMs = longestRunMs(plan) + allowanceMs;
  const tookMs = node.finishedAtMs - node.startedAtMs;
  if (tookMs > lastMs) world.violate(`the run took ${tookMs.toFixed(0)} ms, at most ${lastMs.toFixed(0)}`);
  if (node.troubleAtMs !== null && node.finishedAtMs - node.troubleAtMs > STOP_WITHIN_MS + allowanceMs)
    world.violate(`the run ended ${(node.finishedAtMs - node.troubleAtMs).toFixed(0)} ms after its trouble`);
}

/** Told to stop, workers that nothing else befalls drain at once, and their last frames are kept. */
function checkInterrupted({ world, case: given }: Simulation, node: CoordinatorNode): void {
  const struck = given.faults.filter(({ kind }) => kind !== 'stranger');
  const alone = struck.length === 1 && struck[0]?.kind === 'interrupt' && struck[0].process === COORDINATOR;
  const sound = given.workers.every(({ engineFault }) => engineFault === null) && given.record.flushMs < 100;
  if (!alone || !sound || given.record.failsAtFrame !== null) return;
  for (const { cell, stage, outcome, workers } of eventsOf(node.bundle, 'stage-closed')) {
    const gone = eventsOf(node.bundle, 'stage-go').find((go) => go.cell === cell && go.stage === stage);
    if (outcome === 'interrupted' && gone !== undefined && workers.length !== gone.workers.length)
      world.violate(`interrupted, ${workers.length} of ${gone.workers.length} workers have drained`);
  }
}

function longestRunMs(plan: Plan): number {
  const { joinTimeoutMs, startLeadMs, lostAfterMs } = plan.liveness;
  let sumMs = joinTimeoutMs + STOP_WITHIN_MS;
  for (const cell of plan.cells)
    for (const { end, armTimeoutMs, limitMs, drainMs } of cell.stages) {
      // One of the background takes no time of its own: the others are beside it.
      const ownMs = end.kind === 'stage' ? 0 : limitMs;
      const lengthMs = end.kind === 'duration' ? end.durationMs : ownMs;
      sumMs += armTimeoutMs + startLeadMs + lengthMs + drainMs + lostAfterMs + CLOSE_SLACK_MS;
    }
  return sumMs * 1.001;
}

/** No frame stands in a bundle twice, none is another's, none is missing before one that is there. */
function checkFrames({ world, ledger }: Simulation, bundle: Bundle): void {
  const next = new Map<string, number>();
  for (const { identity, bytes } of bundle.frames) {
    const key = placeKey(identity);
    const inside = decodeFrameIdentity(bytes);
    if (placeKey(inside) !== key || inside.sequence !== identity.sequence)
      world.violate(`frame ${identity.sequence} of ${key} was recorded as another's`);
    if (inside.epoch !== bundle.epoch)
      world.violate(`a frame of run ${inside.epoch} stands in run ${bundle.epoch}`);
    const due = next.get(key) ?? 0;
    if (identity.sequence !== due)
      world.violate(`frame ${identity.sequence} of ${key} was recorded where ${due} was due`);
    next.set(key, identity.sequence + 1);
    if (!sameBytes(ledger.deeds.get(key)?.frames[identity.sequence], bytes))
      world.violate(`frame ${identity.sequence} of ${key} is not what its engine made`);
  }
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Stages run in order, once; a barrier is closed only over what stands on disk. */
function checkStages({ world, ledger, case: { plan } }: Simulation, node: CoordinatorNode): void {
  const { bundle } = node;
  const armed = eventsOf(bundle, 'stage-arming');
  const planned = plan.cells.flatMap((cell) => cell.stages.map((_, stage) => ({ cell: cell.index, stage })));
  armed.forEach(({ cell, stage }, position) => {
    if (planned[position]?.cell !== cell || planned[position]?.stage !== stage)
      world.violate(`stage ${cell}/${stage} was armed as number ${position} of the run`);
  });
  const disorder = stageDisorder(plan, bundle.events);
  if (disorder !== null) world.violate(disorder);
  const closed = eventsOf(bundle, 'stage-closed');
  if (node.finish !== null && closed.length !== armed.length)
    world.violate(`${armed.length} stages were armed and ${closed.length} closed`);
  if (node.finish?.outcome === 'complete' && closed.length !== planned.length)
    world.violate(`a complete run has closed ${closed.length} of ${planned.length} stages`);
  for (const { cell, stage, outcome, workers } of closed) {
    const members = armed.find((each) => each.cell === cell && each.stage === stage)?.workers ?? [];
    if (outcome === 'complete' && workers.length !== members.length)
      world.violate(`stage ${cell}/${stage} is complete with ${workers.length} of ${members.length} workers`);
    for (const worker of workers) {
      const key = placeKey({ epoch: bundle.epoch, cell, stage, worker });
      const deed = ledger.deeds.get(key);
      if (deed === undefined || (deed.totals === null && deed.frames.length > 0))
        world.violate(`${key} counts as kept, but its engine has not drained`);
      else if ((ledger.durable.get(key) ?? -1) !== deed.frames.length - 1)
        world.violate(
          `${key} counts as kept with ${ledger.durable.get(key)} of ${deed.frames.length - 1} frames`,
        );
    }
  }
}

/** Every worker that was told in time starts as close to the common start as its clock is said to be known. */
function checkStarts({ world, ledger }: Simulation, node: CoordinatorNode): void {
  const originMs = node.process.localMs(node.startedAtMs);
  for (const { cell, stage, startAtMs, workers } of eventsOf(node.bundle, 'stage-go'))
    for (const { worker, clockErrorMs } of workers) {
      const deed = ledger.deeds.get(placeKey({ epoch: node.bundle.epoch, cell, stage, worker }));
      if (deed === undefined || deed.startedAtMs === null || deed.lateMs > 0.001) continue;
      const offMs = Math.abs(deed.startedAtMs - node.process.trueMs(originMs + startAtMs));
      if (offMs > clockErrorMs + 0.01)
        world.violate(
          `worker ${worker} started stage ${cell}/${stage} ${offMs.toFixed(3)} ms off, its clock error is said to be ${clockErrorMs.toFixed(3)} ms`,
        );
    }
}

/** In a complete run every engine of a background was at work for as long as any engine of a stage beside it. */
function checkBeside({ world, ledger, case: { plan } }: Simulation, node: CoordinatorNode): void {
  if (node.finish?.outcome !== 'complete') return;
  const deeds = [...ledger.deeds.values()].filter(
    ({ epoch, startedAtMs }) => epoch === node.bundle.epoch && startedAtMs !== null,
  );
  for (const background of deeds)
    for (const other of deeds) {
      // A worker that was lost has ended before its time, and one that was cut may have begun late.
      if (!isBeside(plan, background, other) || background.totals === null || background.lateMs > 0.001)
        continue;
      const errorMs = plan.liveness.startLeadMs;
      const place = `${background.cell}/${background.stage} beside ${other.cell}/${other.stage}`;
      if ((background.startedAtMs ?? 0) > (other.startedAtMs ?? 0) + errorMs)
        world.violate(`${place}: began later`);
      if ((background.endedAtMs ?? 0) < (other.endedAtMs ?? 0) && other.totals !== null)
        world.violate(`${place}: ended earlier`);
    }
}

/** Where nothing happened, every worker keeps hearing what each of the others has inserted, some intervals later. */
function checkInserts({ world, ledger, case: { weather } }: Simulation, { bundle }: CoordinatorNode): void {
  if (weather !== 'calm') return;
  const deeds = [...ledger.deeds.values()].filter(({ epoch }) => epoch === bundle.epoch);
  for (const deed of deeds)
    for (const other of deeds) {
      if (other.cell !== deed.cell || other.stage !== deed.stage) continue;
      const expected = Math.min(deed.inserted.length, other.inserted.length) - 3;
      const heard = deed.heard.get(other.share) ?? -1;
      if (heard < expected - 1)
        world.violate(
          `${deed.process} in stage ${deed.cell}/${deed.stage} has heard ${heard + 1} times of ${other.process}, at least ${expected} are due`,
        );
    }
}

/** A worker that was killed while a run went on is noticed within the limit, by name. */
function checkDeaths({ world, deaths, case: { plan, faults } }: Simulation, node: CoordinatorNode): void {
  const { lostAfterMs, heartbeatMs } = plan.liveness;
  const end = eventsOf(node.bundle, 'run-ended')[0];
  const endMs = end === undefined ? (node.process.diedAtMs ?? 0) : node.trueAtMs(end);
  // The last words of the dead may be held up on their way, and stalls follow upon each other.
  const stalledMs = faults.reduce((sum, fault) => sum + (fault.kind === 'stall' ? fault.forMs : 0), 0);
  for (const { worker, atMs } of deaths) {
    const { name } = worker.process;
    const noticedByMs =
      atMs + stalledMs + lostAfterMs + 2 * heartbeatMs + TIMER_SLACK_MS + 2 * node.process.pausedForMs;
    const joined = eventsOf(node.bundle, 'worker-joined').some(
      (event) => event.name === name && node.trueAtMs(event) <= atMs,
    );
    if (!joined || endMs <= noticedByMs || node.startedAtMs > atMs) continue;
    const noticed = [...eventsOf(node.bundle, 'worker-lost'), ...eventsOf(node.bundle, 'worker-left')].some(
      (event) => event.name === name && node.trueAtMs(event) <= noticedByMs,
    );
    if (!noticed) world.violate(`${name} was killed at ${atMs.toFixed(0)} ms and nobody noticed`);
  }
}

/** A broken run is never VALID, an unbroken one always is, and what the report says is the truth. */
function checkVerdict(simulation: Simulation, node: CoordinatorNode): void {
  const { world, case: given } = simulation;
  const { bundle } = node;
  const summary = summarize({
    plan: given.plan,
    scenarioText: '',
    events: bundle.events,
    manifest: bundle.manifest,
    frames: () => bundle.frames.map(({ bytes }) => bytes),
    damage: [],
  });
  const { status, reasons } = summary.verdict;
  const why = reasons.map(({ rule, text }) => `${rule}: ${text}`).join('; ');
  world.say('report', () => `${status} ${why}`);
  checkFigures(simulation, bundle, summary);
  if (status === 'VALID') {
    const flaw = flawOf(simulation, node);
    if (flaw !== null) world.violate(`the run is called VALID, but ${flaw}`);
  }
  if (given.weather === 'rough') return;
  if (node.finish?.outcome !== 'complete') {
    world.violate(`nothing broke, but the run ended: ${node.finish?.outcome} ${node.finish?.reason}`);
    return;
  }
  if (status === 'VALID') return;
  const late = [...simulation.ledger.deeds.values()].some(
    ({ lateMs }) => lateMs > given.plan.startSkewLimitMs / 2,
  );
  const excused = given.weather === 'harmless' && late && reasons.every(({ rule }) => rule === 'start-skew');
  if (!excused) world.violate(`nothing broke, but the run is called ${status}: ${why}`);
}

/** Why a run is not what a VALID one must be: every engine did the whole plan, and every frame of it is on disk. */
function flawOf({ ledger, case: { plan } }: Simulation, { bundle }: CoordinatorNode): string | null {
  // A coordinator that dies after this line stands on disk has lost nothing.
  const end = eventsOf(bundle, 'run-ended')[0];
  if (end?.outcome !== 'complete') return `its record ends as ${end?.outcome ?? 'killed'}`;
  let start = 0;
  const ranges = new Map(
    plan.groups.map(({ name, size }) => {
      const range = { start, end: start + size };
      start += size;
      return [name, range];
    }),
  );
  for (const cell of plan.cells)
    for (const [stage, spec] of cell.stages.entries()) {
      const { group, kind } = spec;
      const range = ranges.get(group) ?? { start: 0, end: 0 };
      for (let worker = range.start; worker < range.end; worker++) {
        const key = placeKey({ epoch: bundle.epoch, cell: cell.index, stage, worker });
        const deed = ledger.deeds.get(key);
        if (deed === undefined) return `${key} was never done`;
        if (deed.totals === null) return `${key} never drained`;
        if (deed.stopped !== isBackground(spec))
          return `${key} was ${deed.stopped ? 'stopped early' : 'not stopped'}`;
        if (deed.lied) return `${key} lied`;
        const kept = bundle.frames.filter(({ identity }) => placeKey(identity) === key).length;
        if (kind !== 'warm-up' && kept !== deed.frames.length)
          return `${kept} of ${deed.frames.length} frames of ${key} are on disk`;
      }
    }
  return null;
}

/** The report's sums are those of the frames on disk; of a complete stage, those of the engines. */
function checkFigures({ world, ledger }: Simulation, bundle: Bundle, summary: Summary): void {
  for (const cell of summary.cells)
    for (const stage of cell.stages) {
      const place = { cell: cell.index, stage: stage.index };
      const deeds = [...ledger.deeds.values()].filter(
        (deed) => deed.epoch === bundle.epoch && deed.cell === place.cell && deed.stage === place.stage,
      );
      const onDisk = bundle.frames.filter(
        ({ identity }) => identity.cell === place.cell && identity.stage === place.stage,
      );
      const recorded = onDisk.reduce((sum, { bytes }) => sum + sentIn(bytes), 0);
      if (stage.total.sent !== recorded)
        world.violate(
          `stage ${place.cell}/${place.stage}: reported ${stage.total.sent}, on disk ${recorded}`,
        );
      if (stage.outcome !== 'complete') continue;
      const done = deeds.reduce((sum, { totals }) => sum + sentOf(totals), 0);
      if (stage.total.sent !== done)
        world.violate(`stage ${place.cell}/${place.stage}: reported ${stage.total.sent}, done ${done}`);
    }
}

const sentIn = (bytes: Uint8Array): number => decodeFrame(bytes).rows.reduce((sum, row) => sum + row.sent, 0);
const sentOf = (totals: Deed['totals']): number => (totals ?? []).reduce((sum, row) => sum + row.sent, 0);
