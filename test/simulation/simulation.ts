import { drawCase, type SimulationCase } from './case.js';
import { CoordinatorNode } from './coordinator-node.js';
import { COORDINATOR, describeFault, type Fault } from './fault.js';
import { checkEnd } from './invariant.js';
import { Ledger } from './ledger.js';
import { SimulatedNetwork } from './network.js';
import { SimulatedProcess } from './process.js';
import { sendStranger } from './stranger.js';
import { WorkerNode } from './worker-node.js';
import { World } from './world.js';

/** By then everybody must have come to an end, whatever happened. */
const END_OF_TIME_MS = 600_000;

export interface SimulationResult {
  readonly seed: number;
  readonly weather: SimulationCase['weather'];
  /** Empty when every invariant held. */
  readonly violations: readonly string[];
  /** How the first run ended and was judged, to see that the seeds cover every kind of end. */
  readonly outcome: string;
  readonly trace: readonly string[];
}

export interface SimulationOptions {
  /** Whether the result has a trace. */
  readonly traced?: boolean;
  /** How wrong every worker's wall clock is, instead of what the seed says. */
  readonly wallErrorMs?: number;
}

/** All that takes part in one simulation. */
export class Simulation {
  readonly case: SimulationCase;
  readonly world: World;
  readonly ledger = new Ledger();
  readonly network: SimulatedNetwork;
  /** In order of their runs. */
  readonly coordinators: CoordinatorNode[] = [];
  /** Every process that ever was; a restarted one is another. */
  readonly workers: WorkerNode[] = [];
  /** Workers killed, with the true time of their death. */
  readonly deaths: { readonly worker: WorkerNode; readonly atMs: number }[] = [];
  readonly #killed = new Set<WorkerNode | CoordinatorNode>();
  #restarts = 0;

  constructor(seed: number, { traced = false, wallErrorMs }: SimulationOptions) {
    const drawn = drawCase(seed);
    const workers = drawn.workers.map((worker) => ({
      ...worker,
      clock: { ...worker.clock, wallErrorMs: wallErrorMs ?? worker.clock.wallErrorMs },
    }));
    this.case = { ...drawn, workers };
    this.world = new World(traced);
    this.network = new SimulatedNetwork(this.world, this.case.random.fork(), this.case.network);
  }

  run(): void {
    const { world } = this;
    for (const fault of this.case.faults) world.say('plan', () => describeFault(fault));
    this.#startCoordinator(1);
    for (const index of this.case.workers.keys()) this.#startWorker(index, 0);
    for (const fault of this.case.faults) this.#schedule(fault);
    world.run(() => this.#settled(), END_OF_TIME_MS);
    // Those that wait for another run are told that there is none.
    for (const worker of this.workers) if (worker.process.alive) worker.interrupt('SIGTERM');
    world.run(() => this.workers.every(({ process }) => !process.alive), END_OF_TIME_MS);
    if (world.violations.length === 0) checkEnd(this);
  }

  worker(name: string): WorkerNode | undefined {
    return this.workers.findLast(({ process }) => process.name === name);
  }

  coordinator(): CoordinatorNode {
    const last = this.coordinators.at(-1);
    if (last === undefined) throw new Error('there was never a coordinator');
    return last;
  }

  /** No run goes on, none begins, and nobody is left but those who wait. */
  #settled(): boolean {
    if (this.#restarts > 0 || this.coordinator().process.alive) return false;
    return this.workers.every(
      ({ process, engine, options }) =>
        !process.alive || (options.afterRun === 'wait' && !engine.loading && !process.paused),
    );
  }

  #startCoordinator(epoch: number): void {
    const { plan, token, record, coordinatorClock, random } = this.case;
    const process = new SimulatedProcess(this.world, COORDINATOR, coordinatorClock);
    const options = { plan, epoch, token, record };
    const node = new CoordinatorNode(process, random.fork(), this.network, this.ledger, options);
    this.coordinators.push(node);
    node.start();
  }

  #startWorker(index: number, generation: number): void {
    const spec = this.case.workers[index];
    if (spec === undefined) throw new Error(`no worker ${index}`);
    const process = new SimulatedProcess(this.world, spec.name, spec.clock);
    const { token, afterRun, random } = this.case;
    const { group, armMs, engineFault } = spec;
    // A process that is started anew may keep its identity or come with one of its own.
    const workerId = generation > 0 && random.chance(0.5) ? `id-${index}-${generation}` : `id-${index}`;
    const options = { workerId, generation, group, token, afterRun, armMs, engineFault };
    const node = new WorkerNode(process, random.fork(), this.network, this.ledger, options);
    this.workers.push(node);
    this.world.after(generation === 0 ? spec.startsAtMs : 0, () => process.run(() => node.start()));
  }

  #schedule(fault: Fault): void {
    if (fault.kind === 'kill') {
      this.#scheduleKill(fault);
      return;
    }
    if (fault.kind === 'cut' && 'report' in fault.when) {
      const { report, plusMs } = fault.when;
      this.worker(fault.process)?.onReport(report, () => this.world.after(plusMs, () => this.#strike(fault)));
      return;
    }
    const atMs = fault.kind === 'cut' && 'atMs' in fault.when ? fault.when.atMs : 0;
    this.world.after('atMs' in fault ? fault.atMs : atMs, () => this.#strike(fault));
  }

  #strike(fault: Exclude<Fault, { kind: 'kill' }>): void {
    if (fault.kind === 'stranger') {
      const { epoch } = this.coordinator().bundle;
      sendStranger(this.network, fault.what, { token: this.case.token, epoch });
      return;
    }
    const node = fault.process === COORDINATOR ? this.coordinator() : this.worker(fault.process);
    if (node === undefined || !node.process.alive) return;
    switch (fault.kind) {
      case 'pause':
        node.process.pause(fault.forMs);
        return;
      case 'interrupt':
        node.interrupt(fault.signal);
        return;
      case 'cut':
      case 'stall':
        // The coordinator's own link: everybody's.
        for (const worker of node instanceof WorkerNode ? [node] : this.workers) this.#disturb(worker, fault);
        return;
    }
  }

  #disturb(worker: WorkerNode, fault: Fault & { readonly kind: 'cut' | 'stall' }): void {
    const wire = worker.socket?.wire ?? null;
    if (fault.kind === 'stall') {
      this.world.say('network', () => `stalls for ${worker.process.name}, ${fault.forMs.toFixed(0)} ms`);
      wire?.stall(fault.forMs);
      return;
    }
    const { process } = worker;
    if (fault.muteMs > 0) this.world.say('network', () => `lets nothing of ${process.name} through`);
    if (fault.muteMs > 0) wire?.muteDialer();
    this.world.after(fault.muteMs, () => {
      this.world.say('network', () => `is cut for ${process.name}, down ${fault.downMs.toFixed(0)} ms`);
      this.network.down(process.name, fault.downMs);
      wire?.cut('cut', fault.workerLearnsMs, fault.coordinatorLearnsMs);
      // It may have dialed anew meanwhile.
      if (worker.socket?.wire !== wire)
        worker.socket?.wire.cut('cut', fault.workerLearnsMs, fault.coordinatorLearnsMs);
    });
  }

  #scheduleKill(fault: Fault & { readonly kind: 'kill' }): void {
    const { when, process: name, restartAfterMs } = fault;
    const index = this.case.workers.findIndex((worker) => worker.name === name);
    const node = name === COORDINATOR ? this.coordinator() : this.workers[index];
    if (node === undefined) throw new Error(`no process ${name}`);
    if ('step' in when) node.shell.crashAt = when;
    else
      this.world.after(when.atMs, () => {
        node.process.die('is killed');
      });
    node.process.onDeath(() => {
      // It may have ended by itself before, or two were to kill it.
      if (node.finish !== null || this.#killed.has(node)) return;
      this.#killed.add(node);
      if (node instanceof WorkerNode) this.deaths.push({ worker: node, atMs: this.world.nowMs });
      if (restartAfterMs === null) return;
      this.#restarts++;
      this.world.after(restartAfterMs, () => {
        this.#restarts--;
        this.world.say(name, () => 'is started again');
        if (node instanceof WorkerNode) this.#startWorker(index, node.options.generation + 1);
        else this.#startCoordinator(node.bundle.epoch + 1);
      });
    });
  }
}

export function simulate(seed: number, options: SimulationOptions = {}): SimulationResult {
  const simulation = new Simulation(seed, options);
  const { world } = simulation;
  try {
    simulation.run();
  } catch (thrown) {
    // A core that throws has found itself in a state that must not be.
    world.violate(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  const first = simulation.coordinators[0];
  return {
    seed,
    weather: simulation.case.weather,
    violations: world.violations,
    outcome:
      first?.finish === null ? 'killed' : `${first?.finish?.outcome} ${first?.finish?.code ?? ''}`.trim(),
    trace: world.trace ?? [],
  };
}
