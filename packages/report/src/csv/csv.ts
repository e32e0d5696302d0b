import { coordinateNames } from '../summary/cell-label.js';
import type {
  CellSummary,
  Figures,
  Latency,
  Probe,
  StageSummary,
  Summary,
  TimelinePoint,
} from '../summary/schema.js';
import { csvTable, type Field } from './field.js';

/** Which table `renderCsv` writes: a line for each operation, for each operation of each worker, or for each probe. */
export type CsvTable = 'rows' | 'workers' | 'probes';

const LATENCY_HEADS = [
  'count',
  'min_ns',
  'mean_ns',
  'p50_ns',
  'p90_ns',
  'p99_ns',
  'p99.9_ns',
  'p99.99_ns',
  'max_ns',
  'saturated',
];
const FIGURE_HEADS = [
  'sent',
  'ok',
  'hits',
  'misses',
  'errors',
  'timeouts',
  'aborted',
  'late',
  'dropped',
  'errors_by_kind',
  'hit_ratio',
  'throughput_per_sec',
  'bytes_sent_per_sec',
  'bytes_received_per_sec',
  ...LATENCY_HEADS.map((head) => `service_${head}`),
  ...LATENCY_HEADS.map((head) => `response_${head}`),
  ...LATENCY_HEADS.map((head) => `failed_${head}`),
  ...LATENCY_HEADS.map((head) => `pacing_${head}`),
  'near_cache',
  'moved',
  'ask',
  'retried',
];

/**
 * RFC 4180 with dots in numbers and nothing where there is no data. One line for each cell, stage and operation, and
 * one with the operation `total`; or the same for each worker; or the way of every search, a line for each probe and
 * objective. Each line carries the verdict of the run.
 */
export function renderCsv(summary: Summary, table: CsvTable = 'rows'): string {
  if (table === 'probes') return probeTable(summary);
  return table === 'rows' ? rowTable(summary) : workerTable(summary);
}

/** timeline.csv: one line for each cell, stage, interval and operation, and one with the operation `total`. */
export function timelineCsv(summary: Summary): string {
  const coordinates = coordinateNames(summary);
  return csvTable(
    [
      ...cellHeads(coordinates),
      'stage',
      'stage_kind',
      'workload',
      'operation',
      'interval',
      'start_ms',
      'end_ms',
      'sent',
      'ok',
      'failures',
      'misses',
      'in_flight',
      'throughput_per_sec',
      'p50_ns',
      'p99_ns',
      'max_ns',
      'marks',
    ],
    timelineRows(summary, coordinates),
  );
}

function* timelineRows(summary: Summary, coordinates: readonly string[]): Generator<Field[]> {
  for (const { cell, stage } of stagesOf(summary)) {
    const lead = [...cellFields(summary, cell, coordinates), stage.name, stage.kind];
    for (const row of stage.timeline.rows)
      for (const point of row.points)
        yield [...lead, row.workload, row.operation, ...pointFields(point), null];
    for (const point of stage.timeline.total)
      yield [...lead, null, 'total', ...pointFields(point), marksIn(stage, point)];
  }
}

/** What was done to services in this interval, in the rows of the total. */
function marksIn({ marks }: StageSummary, { startMs, endMs }: TimelinePoint): string | null {
  const own = marks.filter(({ atMs }) => atMs >= startMs && atMs < endMs);
  return own.length === 0 ? null : own.map(({ text }) => text).join(';');
}

function rowTable(summary: Summary): string {
  const coordinates = coordinateNames(summary);
  return csvTable(
    [...cellHeads(coordinates), ...STAGE_HEADS, 'workload', 'operation', ...FIGURE_HEADS],
    stagesOf(summary).flatMap(({ cell, stage }) => {
      const lead = [...cellFields(summary, cell, coordinates), ...stageFields(stage)];
      return [
        ...stage.rows.map((row) => [...lead, row.workload, row.operation, ...figureFields(row)]),
        [...lead, null, 'total', ...figureFields(stage.total)],
      ];
    }),
  );
}

function workerTable(summary: Summary): string {
  const coordinates = coordinateNames(summary);
  const hosts = new Map(summary.run.workers.map((worker) => [worker.index, worker]));
  return csvTable(
    [
      ...cellHeads(coordinates),
      ...STAGE_HEADS,
      'worker',
      'worker_name',
      'group',
      'host',
      'worker_complete',
      'worker_elapsed_ms',
      'first_operation_ms',
      'clock_error_ms',
      'workload',
      'operation',
      ...FIGURE_HEADS,
    ],
    stagesOf(summary).flatMap(({ cell, stage }) =>
      stage.workers.flatMap((worker) => {
        const start = stage.startSkew.perWorker.find((entry) => entry.worker === worker.worker);
        const lead: Field[] = [
          ...cellFields(summary, cell, coordinates),
          ...stageFields(stage),
          worker.worker,
          worker.name,
          hosts.get(worker.worker)?.group ?? null,
          hosts.get(worker.worker)?.host?.hostname ?? null,
          worker.complete,
          worker.elapsedMs,
          start?.firstOperationMs ?? null,
          start?.clockErrorMs ?? null,
        ];
        return [
          ...worker.rows.map((row) => [...lead, row.workload, row.operation, ...figureFields(row)]),
          [...lead, null, 'total', ...figureFields(worker.total)],
        ];
      }),
    ),
  );
}

const STAGE_HEADS = [
  'stage',
  'stage_kind',
  'background',
  'beside',
  'outcome',
  'elapsed_ms',
  'workers_complete',
  'workers',
  'ended_early_by',
  'search_outcome',
  'search_rate_per_sec',
  'search_ceiling_per_sec',
];

function stageFields(stage: StageSummary): Field[] {
  return [
    stage.name,
    stage.kind,
    stage.background,
    stage.beside.length === 0 ? null : stage.beside.join(';'),
    stage.outcome,
    stage.elapsedMs,
    stage.participants.complete,
    stage.participants.of,
    stage.stoppedBy?.text ?? null,
    stage.search === null ? null : (stage.search.outcome ?? 'cut short'),
    stage.search?.ratePerSec ?? null,
    stage.search?.ceilingPerSec ?? null,
  ];
}

const PROBE_HEADS = [
  'stage',
  'search_outcome',
  'probe',
  'step',
  'rate_per_sec',
  'achieved_per_sec',
  'held',
  'faults',
  'limit',
  'due',
  'sent',
  'late',
  'dropped',
  'failed_ratio',
  'utilisation',
  'in_flight_share',
  'p99_ns',
  'objective',
  'actual',
  'met',
];

function probeTable(summary: Summary): string {
  const coordinates = coordinateNames(summary);
  return csvTable(
    [...cellHeads(coordinates), ...PROBE_HEADS],
    stagesOf(summary).flatMap(({ cell, stage: { name, search } }) =>
      (search?.probes ?? []).flatMap((probe) => {
        const lead: Field[] = [
          ...cellFields(summary, cell, coordinates),
          name,
          search?.outcome ?? 'cut short',
          ...probeFields(probe),
        ];
        if (probe.objectives.length === 0) return [[...lead, null, null, null]];
        return probe.objectives.map(({ text, actual, met }) => [...lead, text, actual, met]);
      }),
    ),
  );
}

function probeFields(probe: Probe): Field[] {
  return [
    probe.number,
    probe.step,
    probe.ratePerSec,
    probe.achievedPerSec,
    probe.held,
    probe.faults.length === 0 ? null : probe.faults.join(';'),
    probe.limit,
    probe.due,
    probe.sent,
    probe.late,
    probe.dropped,
    probe.failedRatio,
    probe.utilisation,
    probe.inFlight,
    probe.p99Ns,
  ];
}

function stagesOf(summary: Summary): { cell: CellSummary; stage: StageSummary }[] {
  return summary.cells.flatMap((cell) => cell.stages.map((stage) => ({ cell, stage })));
}

function cellHeads(coordinates: readonly string[]): string[] {
  return [
    'verdict',
    'cell',
    'configuration',
    'driver',
    'driver_class',
    'repetition',
    ...coordinates.map((name) => `coordinate.${name}`),
  ];
}

function cellFields(summary: Summary, cell: CellSummary, coordinates: readonly string[]): Field[] {
  return [
    summary.verdict.status,
    cell.index,
    cell.configuration,
    cell.driver,
    cell.driverClass,
    cell.repetition,
    ...coordinates.map((name) => cell.coordinates[name] ?? null),
  ];
}

function figureFields(figures: Figures): Field[] {
  const kinds = Object.entries(figures.errors).map(([kind, count]) => `${kind}=${count}`);
  return [
    figures.sent,
    figures.ok,
    figures.hits,
    figures.misses,
    figures.errorCount,
    figures.timeouts,
    figures.aborted,
    figures.late,
    figures.dropped,
    kinds.length === 0 ? null : kinds.join(';'),
    figures.hitRatio,
    figures.throughputPerSec,
    figures.bytesSentPerSec,
    figures.bytesReceivedPerSec,
    ...latencyFields(figures.service),
    ...latencyFields(figures.response),
    ...latencyFields(figures.failed),
    ...latencyFields(figures.pacing),
    figures.notes?.NEAR_CACHE ?? null,
    figures.notes?.MOVED ?? null,
    figures.notes?.ASK ?? null,
    figures.notes?.RETRIED ?? null,
  ];
}

function latencyFields(latency: Latency | null): Field[] {
  if (latency === null) return LATENCY_HEADS.map(() => null);
  return [
    latency.count,
    latency.minNs,
    latency.meanNs,
    latency.p50Ns,
    latency.p90Ns,
    latency.p99Ns,
    latency.p999Ns,
    latency.p9999Ns,
    latency.maxNs,
    latency.saturated,
  ];
}

function pointFields(point: TimelinePoint): Field[] {
  return [
    point.interval,
    point.startMs,
    point.endMs,
    point.sent,
    point.ok,
    point.failures,
    point.misses,
    point.inFlight,
    point.throughputPerSec,
    point.p50Ns,
    point.p99Ns,
    point.maxNs,
  ];
}
