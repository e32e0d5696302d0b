import {
  type Arm,
  BUNDLE_FILES,
  type Cell,
  type Configuration,
  type Drained,
  type Go,
  nodesMeant,
  type Plan,
  type Service,
  type ServiceAction,
  type ServiceNode,
  type Stage,
} from '@pacecar/protocol';
import type { Member } from './membership.js';
import type { Outbox } from './outbox.js';
import type { Place } from './programme.js';

interface Running {
  /** By index. */
  nodes: readonly ServiceNode[];
  /** Those that a fault has killed. */
  readonly away: Set<number>;
}

/** The services of a run: where their processes are, which a plan cannot know, and which of them a fault has killed. */
export class ServiceBoard {
  readonly #plan: Plan;
  readonly #outbox: Outbox;
  readonly #running = new Map<string, Running>();

  constructor(plan: Plan, outbox: Outbox) {
    this.#plan = plan;
    this.#outbox = outbox;
  }

  /** What the workers of a stage are told of a service and of their target. */
  told({ action }: Stage, cell: Cell): Pick<Arm, 'configuration' | 'service'> {
    const configuration = this.#plan.configurations.find(({ name }) => name === cell.configuration);
    if (configuration === undefined)
      throw new Error(`cell ${cell.index} names no known configuration: ${cell.configuration}`);
    if (action === undefined) return { configuration: this.#located(configuration) };
    if (action.do === 'start') this.#running.set(action.service, { nodes: [], away: new Set() });
    return { configuration, service: this.#service(action.service) };
  }

  /** A worker says which processes it will run. */
  add({ action }: Stage, nodes: readonly ServiceNode[]): void {
    if (action?.do !== 'start') return;
    const running = this.#running.get(action.service);
    if (running === undefined) return;
    running.nodes = [...running.nodes, ...nodes].sort((a, b) => a.index - b.index);
  }

  /** What a stage's workers learn when it begins. */
  begun({ action }: Stage): Pick<Go, 'peers' | 'away'> {
    if (action === undefined) return {};
    const running = this.#running.get(action.service);
    if (running === undefined) return { peers: [], away: [] };
    if (action.do === 'fault') noteFault(running, action);
    return { peers: running.nodes, away: [...running.away] };
  }

  /** What a worker says of the processes that a stage has done something to: into the record. */
  report(stage: Stage, place: Place, member: Member, { report }: Drained): void {
    if (stage.action === undefined || report === undefined || report.length === 0) return;
    const { service } = stage.action;
    const nodes = report.map(({ log, ...node }) => {
      const path = BUNDLE_FILES.serviceLog(place.cell, service, `${node.role}-${node.index}`);
      if (log !== '') this.#outbox.push({ kind: 'log', path, text: log });
      return node;
    });
    this.#outbox.event({ type: 'service-report', ...place, worker: member.index, service, nodes });
  }

  #service(name: string): Service {
    const service = this.#plan.services?.find((one) => one.name === name);
    if (service === undefined) throw new Error(`the plan has no service ${name}`);
    return service;
  }

  /** The configuration with the address of its service. */
  #located(configuration: Configuration): Configuration {
    const { target } = configuration;
    if (target.kind !== 'service') return configuration;
    const nodes = this.#running.get(target.service ?? '')?.nodes ?? [];
    const [first] = nodes;
    if (first === undefined)
      throw new Error(`the service ${target.service} has no address when it is needed`);
    const { username, password } = this.#service(target.service ?? '');
    const { host, port } = first;
    return { ...configuration, target: { ...target, host, port, username, password, nodes } };
  }
}

function noteFault({ nodes, away }: Running, action: Extract<ServiceAction, { do: 'fault' }>): void {
  for (const { index } of nodesMeant(nodes, action))
    if (action.fault === 'kill') away.add(index);
    else if (action.fault === 'restart') away.delete(index);
}
