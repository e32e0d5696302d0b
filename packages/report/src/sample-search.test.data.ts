import {
  decodeFrame,
  type Event,
  type EventBody,
  type ProbeJudgement,
  type ProbeStep,
  ProbeTally,
  probeStage,
  type Search,
  type SearchOutcome,
  type Stage,
  stageOfNumber,
} from '@pacecar/protocol';
import { changed, measureStage, sampleBundle, samplePlan } from './sample-run.test.data.js';
import type { BundleSource } from './source.js';

export const SEARCH: Search = {
  workload: 'main',
  objectives: [{ text: 'get.p99 < 5ms', operation: 'get', metric: 'p99', comparison: '<', threshold: 5e6 }],
  minimumPerSec: 100,
  maximumPerSec: 800,
  settleMs: 1_000,
  growth: 2,
  precision: 0.5,
  confirmations: { needed: 1, of: 1 },
  mostProbes: 8,
};

const [workload] = measureStage.workloads as [(typeof measureStage.workloads)[number]];

/** Probes of 2 s, of which the second half is judged. */
export const searchStage: Stage = {
  ...measureStage,
  name: 'peak',
  workloads: [
    {
      ...workload,
      model: {
        kind: 'open',
        rate: { kind: 'constant', ratePerSec: 100 },
        arrivals: 'constant',
        lateAfterMs: 10,
        dropAfterMs: null,
      },
    },
  ],
  search: SEARCH,
};

export interface SampleProbe {
  readonly step: ProbeStep;
  readonly ratePerSec: number;
  readonly latencyMs: number;
  /** Share of what was asked that was sent; all unless said. */
  readonly sent?: number;
  readonly errors?: number;
}

export interface SampleEnd {
  readonly outcome: SearchOutcome;
  readonly ratePerSec: number | null;
  readonly ceilingPerSec: number | null;
  /** From 0. */
  readonly result: number;
}

/** The way that a search of a target went which holds up to 200/s. */
export const PATH: readonly SampleProbe[] = [
  { step: 'first', ratePerSec: 100, latencyMs: 1 },
  { step: 'growth', ratePerSec: 200, latencyMs: 2 },
  { step: 'growth', ratePerSec: 400, latencyMs: 60 },
  { step: 'bisection', ratePerSec: 282.84, latencyMs: 3, sent: 0.8 },
  { step: 'confirmation', ratePerSec: 200, latencyMs: 2.5 },
];
export const FOUND: SampleEnd = { outcome: 'found', ratePerSec: 200, ceilingPerSec: 282.84, result: 4 };

/** A run of two workers that consists of one search, judged by the code that a coordinator judges with. */
export function searchBundle(
  probes: readonly SampleProbe[],
  end: SampleEnd | null,
  changes: Parameters<typeof samplePlan>[1] = {},
): BundleSource {
  const plan = samplePlan(2, {
    missBudget: 1,
    cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [searchStage] }],
    ...changes,
  });
  const bundle = sampleBundle(
    plan,
    probes.map(({ ratePerSec, latencyMs, sent = 1, errors = 0 }, stage) => {
      const count = Math.round((ratePerSec / 2) * sent);
      const times: [number, number][] = [[latencyMs * 1e6, count]];
      const row = { operation: 'get', ok: times, response: times, errors: { OOM: errors } };
      return { stage, workers: [{ frames: [[row], [row]] }, { frames: [[row], [row]] }] };
    }),
  );
  const events: Event[] = [];
  const say = (like: Event, event: EventBody) =>
    events.push({ ...event, atMs: like.atMs, wallTime: like.wallTime });
  for (const event of bundle.events) {
    const probe = 'stage' in event ? probes[event.stage] : undefined;
    if (event.type === 'stage-arming' && probe !== undefined) {
      const { step, ratePerSec } = probe;
      say(event, { type: 'search-probe', cell: 0, stage: event.stage, step, ratePerSec });
    }
    if (event.type === 'run-ended' && end !== null)
      say(event, { type: 'search-ended', cell: 0, stage: 0, ...end });
    events.push(event);
    if (event.type === 'stage-closed' && probe !== undefined)
      say(event, {
        type: 'search-judged',
        cell: 0,
        stage: event.stage,
        judgement: judge(bundle, event.stage, probe),
      });
  }
  return changed(bundle, { events });
}

function judge(bundle: BundleSource, number: number, { ratePerSec }: SampleProbe): ProbeJudgement {
  const { cells, intervalMs, errorBudget } = bundle.plan;
  const planned = cells[0] === undefined ? null : stageOfNumber(cells[0], number);
  if (planned === null || planned.search === null) throw new Error(`stage ${number} is no probe`);
  const stage = probeStage(planned, ratePerSec);
  const tally = new ProbeTally({ stage, search: planned.search, intervalMs, errorBudget, workers: 2 });
  for (const bytes of bundle.frames()) {
    const frame = decodeFrame(bytes);
    if (frame.stage === number) tally.add(frame);
  }
  return tally.judge();
}
