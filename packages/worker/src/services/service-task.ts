import {
  type Arm,
  LIMITS,
  nodesMeant,
  type Service as ServiceSpec,
  type ServiceAction,
  type ServiceNode,
  type ServiceNodeReport,
  type TargetFacts,
} from '@pacecar/protocol';
import type { ServiceKnowledge } from '../engine/stage-engine.js';
import { readLog } from './guard/bounded-log.js';
import type { ServiceKeeper } from './keeper.js';
import type { DataFile } from './recipe.js';
import type { Service } from './service.js';
import type { ServiceProcess } from './service-process.js';

/** What a stage asks of this worker. */
export interface ServiceTask {
  readonly keeper: ServiceKeeper;
  readonly action: ServiceAction;
  readonly service: ServiceSpec;
  readonly share: Arm['share'];
  readonly host: string;
}

/** All logs of a service together, so that a cluster of hundreds still fits into one message. */
const LOG_BYTES = 1024 * 1024;

/** Whatever can fail before the stage begins; a service that is to start holds its ports then. */
export async function prepare(task: ServiceTask): Promise<readonly ServiceNode[] | undefined> {
  const { keeper, action, service, share, host } = task;
  if (action.do !== 'start') {
    keeper.service(service.name);
    return undefined;
  }
  // What a cell before has left, if it was given up in between.
  await keeper.discard(service.name);
  const { name, recipe, parameters, username, password } = service;
  const order = { service: name, recipe, parameters, username, password, share, host };
  return (await keeper.prepare(order)).nodes;
}

/** Resolves with what there is to say of this worker's processes when it is done. Throws SERVICE_FAILED. */
export async function carryOut(
  { keeper, action, service: { name, readyWithinMs } }: ServiceTask,
  { peers = [], away = [] }: ServiceKnowledge,
): Promise<readonly ServiceNodeReport[]> {
  const service = keeper.service(name);
  switch (action.do) {
    case 'start':
      await service.start(peers, readyWithinMs);
      return asked(service);
    case 'restart':
      await service.restart(action.how, readyWithinMs);
      return asked(service);
    case 'wait':
      await service.waitUntilReady(readyWithinMs, away);
      return asked(service);
    case 'snapshot':
      return asked(service);
    case 'clear':
      await service.clear();
      return [];
    case 'fault': {
      const indexes = nodesMeant(peers, action).map(({ index }) => index);
      await service.fault(action.fault, indexes, readyWithinMs);
      return [];
    }
    case 'stop': {
      const stopped = await service.stop(action.how);
      const report = stopped.map(({ node, inOrder, files }) =>
        reportOf(service, node, { facts: null, files, end: inOrder ? 'in-order' : 'killed' }),
      );
      await keeper.discard(name);
      return report;
    }
  }
}

async function asked(service: Service): Promise<readonly ServiceNodeReport[]> {
  const answers = await service.facts();
  return answers.map(({ node, facts, files }) => reportOf(service, node, { facts, files, end: null }));
}

function reportOf(
  service: Service,
  { role, index, host, port }: ServiceNode,
  seen: {
    readonly facts: TargetFacts | null;
    readonly files: readonly DataFile[];
    readonly end: ServiceNodeReport['end'];
  },
): ServiceNodeReport {
  return {
    role,
    index,
    address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    facts: seen.facts,
    files: seen.files.slice(0, LIMITS.serviceFiles),
    end: seen.end,
    // Said once, when all has been said.
    log: seen.end === null ? '' : logOf(service.processes, index),
  };
}

function logOf(processes: readonly ServiceProcess[], index: number): string {
  const process = processes.find(({ node }) => node.index === index);
  if (process === undefined) return '';
  const most = Math.min(LIMITS.serviceLogCharacters, Math.floor(LOG_BYTES / processes.length));
  return readLog(process.logFile, most).slice(-most);
}
