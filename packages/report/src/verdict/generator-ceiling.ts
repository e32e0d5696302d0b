import { amountFor, type Calibration, type Workload } from '@pacecar/protocol';
import type { WorkerStage } from '../summary/schema.js';
import { formatPercent, formatRate } from '../units.js';
import { calibratedOperation, ceilingOf } from './ceiling.js';
import { type Evidence, nameStage, type Observation, type StageEvidence } from './evidence.js';

/** Nearer to its ceiling than this a generator shows its own limit, not the target's. */
const NEAR = 0.9;

interface Nearness {
  readonly at: StageEvidence;
  readonly worker: WorkerStage;
  readonly workload: string;
  readonly threads: number;
  readonly perSec: number;
  readonly ceilingPerSec: number;
  /** Of the ceiling: the parts that its operations took of it, summed up. */
  readonly share: number;
  readonly from: string;
}

/** No worker sent within 10 % of what its machine can send at most, as its calibration says. */
export function generatorCeiling(evidence: Evidence): Observation[] {
  const known = [...nearnesses(evidence)].filter((each): each is Nearness => !('why' in each));
  const found = known.filter(({ share }) => share >= NEAR);
  if (found.length > 0)
    return found.map((near) => ({
      level: 'DEGRADED',
      text:
        `worker ${near.worker.name} was the limit in ${nameOf(evidence, near)}: it sent ${formatRate(near.perSec)} operations/s, ` +
        `${formatPercent(rounded(near.share))} of its calibrated ceiling of ${formatRate(near.ceilingPerSec)}/s ` +
        `(${near.from}); more engine threads or workers are needed to see the target's limit`,
      figures: figuresOf(near),
      at: near.at,
    }));
  const nearest = known.reduce<Nearness | null>(
    (best, each) => (best === null || each.share > best.share ? each : best),
    null,
  );
  if (nearest === null) return [];
  return [
    {
      level: 'VALID',
      text:
        `no worker was near its ceiling: ${nearest.worker.name} sent ${formatRate(nearest.perSec)} operations/s in ` +
        `${nameOf(evidence, nearest)}, ${formatPercent(rounded(nearest.share))} of ${formatRate(nearest.ceilingPerSec)}/s (${nearest.from})`,
      figures: figuresOf(nearest),
      at: null,
    },
  ];
}

/** What cannot be judged, and how it could be: one sentence for each reason. */
export function ceilingNotes(evidence: Evidence): string[] {
  const workers = new Map<string, Set<string>>();
  for (const each of nearnesses(evidence)) {
    if (!('why' in each)) continue;
    const names = workers.get(each.why) ?? new Set();
    workers.set(each.why, names.add(each.worker.name));
  }
  return [...workers].map(([why, names]) => {
    const some = [...names].slice(0, 3).join(', ');
    const whose = names.size <= 3 ? some : `${some} and ${names.size - 3} more`;
    return `Ceiling of ${whose} unknown: ${why}. To learn whether a generator is the limit, run pacecar calibrate on its machine.`;
  });
}

/** Of each worker in each measure stage, workload by workload, since each has engine threads of its own. */
function* nearnesses(evidence: Evidence): Generator<Nearness | { worker: WorkerStage; why: string }> {
  for (const at of evidence.stages) {
    if (at.stage.kind !== 'measure') continue;
    const driver = evidence.plan.configurations.find(({ name }) => name === at.cell.configuration)?.driver;
    for (const worker of at.summary.workers) {
      if ((worker.elapsedMs ?? 0) === 0 || worker.total.sent === 0) continue;
      const calibration = evidence.record.workers.get(worker.worker)?.calibration ?? null;
      if (calibration === null) {
        yield { worker, why: 'there is no calibration' };
        continue;
      }
      for (const workload of at.stage.workloads) {
        const nearness = nearnessOf(calibration, driver ?? '', at, worker, workload);
        if (typeof nearness === 'string') yield { worker, why: nearness };
        else if (nearness !== null) yield nearness;
      }
    }
  }
}

/** null: it sent nothing. A sentence: its ceiling is unknown. */
function nearnessOf(
  calibration: Calibration,
  driver: string,
  at: StageEvidence,
  worker: WorkerStage,
  workload: Workload,
): Nearness | string | null {
  const threads = threadsOf(at, worker.worker, workload);
  const elapsedSec = (worker.elapsedMs ?? 0) / 1e3;
  let perSec = 0;
  let share = 0;
  const from = new Set<string>();
  for (const action of workload.mix) {
    const row = worker.rows.find((each) => each.workload === workload.name && each.operation === action.name);
    if (row === undefined || row.sent === 0) continue;
    const operation = calibratedOperation(action.operation);
    if (operation === null) return `operation ${action.operation} is not calibrated`;
    const rate = row.sent / elapsedSec;
    const bytes = (operation === 'get' ? row.bytesReceivedPerSec : row.bytesSentPerSec) ?? 0;
    const depth = workload.depth;
    const ceiling = ceilingOf(calibration, { driver, operation, threads, depth, bytes: bytes / rate });
    if (typeof ceiling === 'string') return ceiling;
    perSec += rate;
    share += rate / ceiling.perSec;
    from.add(ceiling.from);
  }
  if (perSec === 0) return null;
  const ceilingPerSec = perSec / share;
  return {
    at,
    worker,
    workload: workload.name,
    threads,
    perSec,
    ceilingPerSec,
    share,
    from: [...from].join('; '),
  };
}

/** Those that have a connection. */
function threadsOf(at: StageEvidence, worker: number, { threads, connections }: Workload): number {
  const told = at.record?.workers ?? [];
  const place = Math.max(0, told.indexOf(worker));
  const of = Math.max(1, told.length);
  return Math.max(1, Math.min(amountFor(threads, of, place), amountFor(connections, of, place)));
}

function nameOf(evidence: Evidence, { at, workload }: Nearness): string {
  const stage = nameStage(evidence, at);
  return at.stage.workloads.length > 1 ? `${workload} of ${stage}` : stage;
}

function figuresOf(near: Nearness): Observation['figures'] {
  return {
    worker: near.worker.worker,
    workload: near.workload,
    threads: near.threads,
    sentPerSec: near.perSec,
    ceilingPerSec: near.ceilingPerSec,
    share: near.share,
    limit: NEAR,
  };
}

/** Whole percent: a ceiling is not known better. */
function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}
