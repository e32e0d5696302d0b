import { LIMITS } from '@pacecar/protocol';
import { z } from 'zod';
import { grammar, key, required } from '../key-doc.js';
import { shown } from '../quantity/decimal.js';
import { bad, good } from '../quantity/reading.js';
import { count, DAY_MS, duration, name, ratio, text } from './scalar.js';
import { ServiceShape, ServiceTargetShape } from './service.js';
import { StageSchema } from './stage.js';
import { TargetShape, targetText } from './target.js';
import { WorkloadShape } from './workload.js';
import { objective } from './search.js';

/**
 * The scenario as it is written. Every key has its documentation beside its schema: messages, docs/scenario.md and
 * the JSON schema all come from here.
 */

export const ConfigurationShape = {
  target: required(z.union([targetText(), z.strictObject(TargetShape), z.strictObject(ServiceTargetShape)]), {
    says: "The system under test: `builtin` (Pacecar's own target, started with the run), a URL `redis://user:password@host:port/database` (`rediss://` for TLS, `redis+unix:///path`), `memcached://host:port`, `hazelcast://host:port` or `mongodb://user:password@host:port/database`, or a mapping.",
    example: 'redis://10.0.0.5:6379',
  }),
  driver: key(name(), {
    says: 'What speaks to the target; `pacecar drivers` lists them. By default resp, for memcached://, hazelcast:// and mongodb:// targets the driver of that name.',
    example: 'ioredis',
  }),
  settings: key(z.record(z.string(), text(10_000)), {
    says: "The driver's own settings; docs/drivers.md has them.",
    fallback: '{}',
    example: '{ noDelay: true }',
  }),
};

export const LivenessShape = {
  heartbeat: key(duration(10, 3_600_000), {
    says: 'Coordinator and workers say this often that they are alive.',
    fallback: '1s',
    example: '500ms',
  }),
  lostAfter: key(duration(20, DAY_MS), {
    says: 'A worker that has been silent or gone for this long is lost.',
    fallback: '10s',
    example: '5s',
  }),
  lease: key(duration(20, DAY_MS), {
    says: 'A worker that has not heard the coordinator for this long stops its load by itself.',
    fallback: '10s',
    example: '5s',
  }),
  join: key(duration(1), {
    says: 'All workers must have joined within this time.',
    fallback: '1m',
    example: '10m',
  }),
  startLead: key(duration(0, 3_600_000), {
    says: 'How far ahead the common start of a stage lies once all workers are armed.',
    fallback: '500ms',
    example: '1s',
  }),
};

export const ScenarioShape = {
  pacecar: required(
    grammar('the version 1', 'number', (value) =>
      value === '1'
        ? good(1 as const)
        : bad(`${shown(value)} is no version of the scenario format; allowed: 1`),
    ),
    { says: 'The version of the scenario format: write `pacecar: 1`.', example: '1' },
  ),
  name: key(name(), {
    says: "Names the run and its bundle. By default the file's name.",
    example: 'quickstart',
  }),
  seed: key(count(0), {
    says: 'Seeds every random stream. The default is fixed, so that the same scenario gives the same keys each time.',
    fallback: '1',
    example: '42',
  }),
  properties: key(z.record(z.string(), text(10_000)), {
    says: 'Values by name, used as `${name}` anywhere below; `--set name=value` overrides them.',
    fallback: '{}',
    example: '{ host: 127.0.0.1 }',
  }),
  groups: key(z.record(z.string(), count(1, LIMITS.workers)), {
    says: 'Groups of workers and their sizes, in the order in which workers are numbered.',
    fallback: '{ workers: 1 }',
    example: '{ clients: 3 }',
  }),
  services: key(z.record(z.string(), z.strictObject(ServiceShape)), {
    says: 'Servers that workers start and stop, by name (see Services). A configuration is of one with `target: { service: NAME }`.',
    fallback: '{}',
    example: '{ cache: { recipe: redis-server, parameters: { persistence: append-only } } }',
  }),
  configurations: required(z.record(z.string(), z.strictObject(ConfigurationShape)), {
    says: 'What is compared: by name a target, a driver and its settings.',
    example: '{ builtin: { target: builtin } }',
  }),
  workload: key(z.strictObject(WorkloadShape), {
    says: 'What the stages share, so that nothing is said twice. A stage overrides it key by key.',
    fallback: '{}',
  }),
  stages: required(z.array(StageSchema), {
    says: 'The steps of every cell, each ended by a barrier: `load`, `warm-up`, `measure`, `verify`.',
    example: '[load, warm-up, measure: { for: 1m }, verify]',
  }),
  repeat: key(count(1, LIMITS.cells), { says: 'How often each cell is run.', fallback: '1', example: '5' }),
  sweep: key(z.record(z.string(), z.array(text(1_000))), {
    says: 'Properties with a list of values each; every combination is a cell. Only `workload` and `stages` may use them.',
    fallback: '{}',
    example: '{ connections: [1, 10, 50] }',
  }),
  order: key(z.enum(['interleaved', 'sequential']), {
    says: 'interleaved: A B A B, so that drift hits every configuration. sequential: A A B B.',
    fallback: 'interleaved',
    example: 'sequential',
  }),
  onWorkerLoss: key(z.enum(['fail', 'continue']), {
    says: 'What happens when a worker is lost; `continue` marks the run DEGRADED.',
    fallback: 'fail',
    example: 'continue',
  }),
  errorBudget: key(ratio(), {
    says: 'Largest share of operations that may fail (errors, timeouts, aborted); above it the run fails.',
    fallback: '0.1%',
    example: '1%',
  }),
  missBudget: key(ratio(), {
    says: 'Largest share of reads that may miss; above it the run is DEGRADED.',
    fallback: '10%',
    example: '0%',
  }),
  startSkewLimit: key(duration(0), {
    says: "Largest spread of the workers' first operations; above it the run is DEGRADED.",
    fallback: '100ms',
    example: '20ms',
  }),
  objectives: key(z.array(objective()), {
    says: 'What every measure stage must reach; otherwise the run fails.',
    fallback: '[]',
    example: '[get.p99 < 5ms, total.throughput > 10000/s, put.errors < 0.1%]',
  }),
  interval: key(duration(100, 3_600_000), {
    says: 'Length of the intervals in which statistics are sent and shown.',
    fallback: '1s',
    example: '500ms',
  }),
  liveness: key(z.strictObject(LivenessShape), {
    says: 'How loss is noticed (see Liveness).',
    fallback: '{}',
    example: '{ lostAfter: 5s }',
  }),
};

export const ScenarioSchema = z.strictObject(ScenarioShape);
