import { hostname } from 'node:os';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PacecarError, type ServiceNode, systemReason, type TargetFacts } from '@pacecar/protocol';
import type { Guard, ProcessEnd } from './guard/guard.js';
import { findProgram } from './program.js';
import type { Blueprint, DataFile, ServiceOrder, Workshop } from './recipe.js';
import { type ReservedPort, reservePort } from './reserved-port.js';
import { runToEnd } from './run-to-end.js';
import { endText, ServiceProcess } from './service-process.js';
import { until } from './until.js';

export interface StoppedNode {
  readonly node: ServiceNode;
  /** Whether it ended when it was asked, or had to be killed. */
  readonly inOrder: boolean;
  readonly end: ProcessEnd | null;
  readonly files: readonly DataFile[];
}

export interface NodeFacts {
  readonly node: ServiceNode;
  /** Null where the process does not run or does not answer. */
  readonly facts: TargetFacts | null;
  readonly files: readonly DataFile[];
}

/** What a fault does to one process. */
export type Fault = 'pause' | 'resume' | 'kill' | 'restart';

export interface ServiceOptions {
  readonly order: ServiceOrder;
  readonly blueprint: Blueprint;
  readonly guard: Guard;
  /** For this service alone; it exists. */
  readonly directory: string;
  /** A process ended without being told to. Once it is known to be ready. */
  readonly onDeath: (reason: string) => void;
}

/** One service on one worker, from preparing to its end. All methods throw PacecarError SERVICE_FAILED. */
export class Service {
  readonly #options: ServiceOptions;
  /** Gives up what waits for readiness. */
  #aborter = new AbortController();
  readonly #ports: ReservedPort[] = [];
  readonly #processes: ServiceProcess[] = [];
  #peers: readonly ServiceNode[] = [];
  #isReady = false;

  private constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** Finds what is needed and holds the ports; nothing runs yet. */
  static async prepare(options: ServiceOptions): Promise<Service> {
    const service = new Service(options);
    try {
      await service.#prepare();
      return service;
    } catch (thrown) {
      await service.discard();
      throw service.#named(thrown);
    }
  }

  /** The processes of this worker. */
  get nodes(): readonly ServiceNode[] {
    return this.#processes.map(({ node }) => node);
  }

  get processes(): readonly ServiceProcess[] {
    return this.#processes;
  }

  /** Starts every process; `peers` are those of all workers. Resolves when the whole service is ready. */
  async start(peers: readonly ServiceNode[], withinMs: number): Promise<void> {
    const { order } = this.#options;
    this.#peers = [...peers].sort((a, b) => a.index - b.index);
    if (this.#aborter.signal.aborted) this.#aborter = new AbortController();
    try {
      await Promise.all(this.#ports.splice(0).map((port) => port.release()));
      for (const process of this.#processes) await this.#launch(process, withinMs);
      await this.#ready(withinMs, order.share.index === 0);
      this.#isReady = true;
    } catch (thrown) {
      await this.#killAll();
      throw this.#named(thrown);
    }
  }

  /**
   * Resolves when every process answers and is part of the whole service, for example after a fault; one that a
   * fault killed is not waited for. `away` are those that were killed on other workers.
   */
  async waitUntilReady(withinMs: number, away: readonly number[] = []): Promise<void> {
    try {
      await this.#ready(withinMs, false, away);
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  /** Stops and starts every process, on its port and in its directory. */
  async restart(how: 'graceful' | 'kill', withinMs: number): Promise<void> {
    await this.stop(how);
    await this.start(this.#peers, withinMs);
  }

  /** Ends every process, in order or at once. */
  async stop(how: 'graceful' | 'kill'): Promise<readonly StoppedNode[]> {
    this.#aborter.abort();
    this.#isReady = false;
    const { blueprint } = this.#options;
    return Promise.all(
      this.#processes.map(async (process) => {
        const inOrder = how === 'graceful' && (await process.stop(blueprint.leaveMs));
        await process.kill();
        const files = await process.dataFiles((name) => blueprint.isData(name));
        return { node: process.node, inOrder, end: process.end, files };
      }),
    );
  }

  /** Does something to the processes of this worker among those of these indexes; `withinMs` is for a restart. */
  async fault(fault: Fault, indexes: readonly number[], withinMs: number): Promise<void> {
    const { blueprint } = this.#options;
    const hit = this.#processes.filter(({ node }) => indexes.includes(node.index));
    switch (fault) {
      case 'pause':
        for (const process of hit) process.pause();
        return;
      case 'resume':
        for (const process of hit) process.resume();
        return;
      case 'kill':
        await Promise.all(hit.map((process) => process.kill()));
        return;
      case 'restart': {
        const byMs = performance.now() + withinMs;
        try {
          await Promise.all(hit.map((process) => process.start()));
          const within = `did not answer within ${seconds(withinMs)} of its restart`;
          await this.#each((process) => blueprint.answers(process.node), byMs, within, hit);
        } catch (thrown) {
          throw this.#named(thrown);
        }
      }
    }
  }

  /** Deletes all data. */
  async clear(): Promise<void> {
    await Promise.all(this.#running.map(({ node }) => this.#options.blueprint.clear(node)));
  }

  /** What the servers say of themselves, and the sizes of their files. */
  async facts(): Promise<readonly NodeFacts[]> {
    const { blueprint } = this.#options;
    return Promise.all(
      this.#processes.map(async (process) => {
        const isRunning = process.state === 'running';
        const facts = isRunning ? await blueprint.facts(process.node).catch(() => null) : null;
        return {
          node: process.node,
          facts,
          files: await process.dataFiles((name) => blueprint.isData(name)),
        };
      }),
    );
  }

  /** Ends whatever is left, at any time. */
  async discard(): Promise<void> {
    this.#aborter.abort();
    await Promise.all(this.#ports.splice(0).map((port) => port.release()));
    await this.#killAll();
  }

  get #running(): readonly ServiceProcess[] {
    return this.#processes.filter(({ state }) => state === 'running');
  }

  async #prepare(): Promise<void> {
    const { blueprint, order, directory, guard } = this.#options;
    const workshop: Workshop = {
      directory: join(directory, 'shared'),
      program: findProgram,
      run: async (program, args, what) =>
        runToEnd({ guard, program, args, what, directory: workshop.directory, signal: this.#aborter.signal }),
      signal: this.#aborter.signal,
    };
    await mkdir(workshop.directory, { recursive: true, mode: 0o700 });
    if (blueprint.nodes.length > 0) await blueprint.provide(workshop);
    for (const { role, index, port, besides } of blueprint.nodes) {
      const reserved = await reservePort(order.host, port, besides);
      this.#ports.push(reserved);
      const node: ServiceNode = {
        role,
        index,
        worker: order.share.index,
        host: order.host,
        port: reserved.port,
        certificateAuthority: blueprint.certificateAuthority,
      };
      const name = `${role}-${index}`;
      const place = { directory: join(directory, name), logFile: join(directory, `${name}.log`) };
      this.#processes.push(new ServiceProcess(node, place, guard, (...death) => this.#died(...death)));
    }
  }

  async #launch(process: ServiceProcess, withinMs: number): Promise<void> {
    const { blueprint } = this.#options;
    const { node, directory } = process;
    const due = async (): Promise<string | null> => (await blueprint.due?.(node, this.#peers)) ?? null;
    const missing = await until(due, performance.now() + withinMs, this.#aborter.signal);
    if (missing !== null)
      throw failed(`${process.title} could not start within ${seconds(withinMs)}: ${missing}`);
    await process.start(blueprint.launch(node, this.#peers, directory));
  }

  async #ready(withinMs: number, forms: boolean, away: readonly number[] = []): Promise<void> {
    const { blueprint } = this.#options;
    const within = `within ${seconds(withinMs)}`;
    const byMs = performance.now() + withinMs;
    await this.#each((process) => blueprint.answers(process.node), byMs, `did not answer ${within}`);
    const missing = forms ? await until(() => blueprint.form(this.#peers), byMs, this.#aborter.signal) : null;
    if (missing !== null) throw failed(`was not formed ${within}: ${missing}`);
    const ownAway = this.#processes.filter(({ isAway }) => isAway).map(({ node }) => node.index);
    const missed = new Set([...away, ...ownAway]);
    const formed = (process: ServiceProcess) => blueprint.formed(process.node, this.#peers, missed);
    await this.#each(formed, byMs, `was not part of the whole ${within}`);
  }

  /** Asks every process until nothing is missing; the first that is not done by then is named, with its last words. */
  async #each(
    missing: (process: ServiceProcess) => Promise<string | null>,
    byMs: number,
    problem: string,
    among: readonly ServiceProcess[] = this.#processes.filter(({ isAway }) => !isAway),
  ): Promise<void> {
    for (const process of among) {
      const answer = await until(
        async () => {
          if (process.end !== null) throw this.#ended(process, process.end);
          return missing(process);
        },
        byMs,
        this.#aborter.signal,
      );
      if (answer === null) continue;
      throw failed(`${process.title} ${problem}: ${answer}${said(process)}`);
    }
  }

  #ended(process: ServiceProcess, end: ProcessEnd): PacecarError {
    return failed(`${process.title} ${endText(end)} before it was ready${said(process)}`);
  }

  #died(process: ServiceProcess, end: ProcessEnd): void {
    if (!this.#isReady) return;
    this.#options.onDeath(this.#text(`${process.title} ${endText(end)} by itself${said(process)}`));
  }

  async #killAll(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
  }

  #named(thrown: unknown): PacecarError {
    const code = thrown instanceof PacecarError ? thrown.code : 'SERVICE_FAILED';
    return new PacecarError(code, this.#text(systemReason(thrown)), { cause: thrown });
  }

  /** Which service, of which product, on which host. */
  #text(what: string): string {
    const { service, recipe } = this.#options.order;
    return `the service ${service} (${recipe}) on ${hostname()}: ${what}`;
  }
}

function failed(message: string): PacecarError {
  return new PacecarError('SERVICE_FAILED', message);
}

function said(process: ServiceProcess): string {
  const words = process.lastWords;
  return words === '' ? '; it said nothing' : `; its last words:\n${words.replace(/^/gm, '  ')}`;
}

function seconds(ms: number): string {
  return `${Number((ms / 1_000).toFixed(1))} s`;
}
