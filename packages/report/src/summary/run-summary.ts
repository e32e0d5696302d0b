import { type Plan, stageNumber, type TargetFacts } from '@pacecar/protocol';
import { type RunRecord, stageKey } from './record.js';
import type { RunSummary } from './schema.js';

/** How a run ended; a record without an end is that of a coordinator that died. */
export function endOf(record: RunRecord): {
  outcome: RunSummary['outcome'];
  code: RunSummary['code'];
  reason: string;
} {
  return (
    record.end ?? {
      outcome: 'interrupted',
      code: 'COORDINATOR_LOST',
      reason: 'the record ends before the run did: its coordinator died, or is still at work',
    }
  );
}

export function summarizeRun(plan: Plan, record: RunRecord): RunSummary {
  const of = plan.groups.reduce((sum, group) => sum + group.size, 0);
  const workers = [...record.workers.values()].sort((a, b) => a.index - b.index);
  return {
    name: plan.name,
    epoch: record.epoch,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    durationMs: record.durationMs,
    ...endOf(record),
    seed: plan.seed,
    pacecarVersion: record.pacecarVersion,
    cells: { complete: completeCells(plan, record), of: plan.cells.length },
    participants: {
      joined: workers.length,
      of,
      lost: workers.filter((worker) => worker.lost !== null).length,
    },
    workers: workers.map(({ index, name, group, host, lost, cuts, clock }) => ({
      index,
      name,
      group,
      host,
      lost: lost === null ? null : { noticedAtMs: lost.noticedAtMs, reason: lost.reason },
      cuts,
      clock,
    })),
    targets: targetsOf(plan, record),
    drivers: driversOf(plan, record),
  };
}

function completeCells(plan: Plan, record: RunRecord): number {
  return plan.cells.filter((cell) =>
    cell.stages.every(({ search }, stage) => {
      const key = stageKey(cell.index, stageNumber(cell, { stage, probe: search === null ? null : 0 }));
      if (search !== null) return record.searchEnds.has(key);
      const closed = record.stages.get(key)?.closed;
      return closed === 'complete' || closed === 'partial';
    }),
  ).length;
}

/** What the targets said of themselves: equal answers stand once, with the workers that got them. */
function targetsOf(plan: Plan, record: RunRecord): RunSummary['targets'] {
  const targets = new Map<string, { configuration: string; facts: TargetFacts; workers: Set<number> }>();
  for (const stage of record.stages.values()) {
    const configuration = plan.cells[stage.cell]?.configuration;
    if (configuration === undefined) continue;
    for (const [worker, facts] of stage.targets) {
      const key = JSON.stringify([
        configuration,
        facts.address,
        facts.product,
        facts.version,
        facts.mode,
        facts.settings,
      ]);
      const known = targets.get(key);
      if (known === undefined) targets.set(key, { configuration, facts, workers: new Set([worker]) });
      else known.workers.add(worker);
    }
  }
  const order = new Map(plan.configurations.map((configuration, index) => [configuration.name, index]));
  return [...targets]
    .sort(
      ([keyA, a], [keyB, b]) =>
        (order.get(a.configuration) ?? 0) - (order.get(b.configuration) ?? 0) || (keyA < keyB ? -1 : 1),
    )
    .map(([, { configuration, facts, workers }]) => ({
      configuration,
      address: facts.address,
      product: facts.product,
      version: facts.version,
      mode: facts.mode,
      settings: { ...facts.settings },
      workers: [...workers].sort((a, b) => a - b),
    }));
}

function driversOf(plan: Plan, record: RunRecord): RunSummary['drivers'] {
  const names = [...new Set(plan.configurations.map((configuration) => configuration.driver))];
  return names.map((name) => {
    const facts = [...record.workers.values()].flatMap((worker) =>
      worker.drivers.filter((driver) => driver.name === name),
    );
    return {
      name,
      class: facts[0]?.class ?? null,
      versions: [...new Set(facts.map((fact) => fact.version))].sort(),
      configurations: plan.configurations
        .filter((configuration) => configuration.driver === name)
        .map((configuration) => configuration.name),
    };
  });
}
