import { stageOfNumber } from '@pacecar/protocol';
import { formatDuration, plural } from '../units.js';
import type { Loss } from '../summary/record.js';
import { type Evidence, everyStage, type Observation, type StageEvidence } from './evidence.js';

/** A lost worker makes a run INVALID under the policy `fail`, DEGRADED under `continue`. */
export function workersPresent(evidence: Evidence): Observation[] {
  const { plan, record, run } = evidence;
  const lost = [...record.workers.values()].filter((worker) => worker.lost !== null);
  const { of, joined } = run.participants;
  if (lost.length === 0)
    return joined < of
      ? []
      : [
          {
            level: 'VALID',
            text: `${joined} of ${plural(of, 'worker')} ${untilWhen(evidence)}`,
            figures: { present: joined, of },
            at: null,
          },
        ];
  const level = plan.onWorkerLoss === 'fail' ? 'INVALID' : 'DEGRADED';
  const left = `${of - lost.length} of ${plural(of, 'worker')}`;
  return lost.map((worker) => {
    const during = worker.lost?.during ?? null;
    const at = during === null ? null : stageAt(evidence, during.cell, during.stage);
    const after = plan.onWorkerLoss === 'fail' ? `${left} were left` : `the run went on with ${left}`;
    const lastMs = lastFrameMs(at, worker.index);
    const heard =
      during === null || during.elapsedMs === null
        ? ''
        : lastMs === null
          ? ', without any statistics of it'
          : `, its last statistics go to ${formatDuration(lastMs)}`;
    return {
      level,
      text: `worker ${worker.name} was lost (${worker.lost?.reason ?? ''})${noticed(evidence, during)}${heard}; ${after}`,
      figures: {
        worker: worker.index,
        name: worker.name,
        noticedAtMs: worker.lost?.noticedAtMs ?? null,
        lastFrameEndMs: lastMs,
        present: of - lost.length,
        of,
      },
      at,
    };
  });
}

/** As far as the record goes, and no further. */
function untilWhen({ run, record }: Evidence): string {
  if (run.outcome === 'complete') return 'from start to end';
  const until =
    record.end === null
      ? 'the record ends'
      : `the run ${run.outcome === 'failed' ? 'failed' : 'was interrupted'}`;
  return `joined, and none of them was found lost until ${until}`;
}

/** A loss is noticed when heartbeats have been missing for a while, which is later than it was. */
function noticed(evidence: Evidence, during: Loss['during']): string {
  if (during === null) return ', noticed between stages';
  const cell = evidence.plan.cells[during.cell];
  const stage = (cell === undefined ? null : stageOfNumber(cell, during.stage))?.name ?? 'a stage';
  return during.elapsedMs === null
    ? `, noticed while ${stage} was arming`
    : `, noticed ${formatDuration(during.elapsedMs)} into ${stage}`;
}

/** End of its last frame in the stage of the loss, since the stage's start. */
function lastFrameMs(at: StageEvidence | null, worker: number): number | null {
  const tally = at?.tally?.workers.get(worker) ?? null;
  return tally === null ? null : tally.endNs / 1e6;
}

/** A run that did not go to its end is never VALID. */
export function runComplete({ plan, run, record }: Evidence): Observation[] {
  const figures = {
    outcome: run.outcome,
    code: run.code,
    cellsComplete: run.cells.complete,
    cells: run.cells.of,
  };
  if (run.outcome === 'complete') {
    // The end of the run and the barriers of its stages are written apart: they must tell the same.
    if (run.cells.complete === run.cells.of)
      return [
        {
          level: 'VALID',
          text: `every stage of ${plan.cells.length === 1 ? 'the run' : plural(run.cells.of, 'cell')} ran to its end`,
          figures,
          at: null,
        },
      ];
    return [
      {
        level: 'INVALID',
        text: `the run says it is complete, but ${run.cells.complete} of ${plural(run.cells.of, 'cell')} closed all their stages`,
        figures,
        at: null,
      },
    ];
  }
  const code = run.code === null ? '' : ` (${run.code})`;
  if (run.outcome === 'failed')
    return [{ level: 'INVALID', text: `the run failed${code}: ${run.reason}`, figures, at: null }];
  if (record.end === null)
    return [{ level: 'INVALID', text: `interrupted${code}: ${run.reason}`, figures, at: null }];
  const signal = record.signal === null ? '' : ` by ${record.signal}`;
  return [
    {
      level: 'DEGRADED',
      text: `interrupted${signal}: the figures cover only what ran until then`,
      figures,
      at: null,
    },
  ];
}

function stageAt(evidence: Evidence, cell: number, stage: number) {
  return everyStage(evidence).find((each) => each.cell.index === cell && each.index === stage) ?? null;
}
