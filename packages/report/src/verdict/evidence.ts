import type { Plan } from '@pacecar/protocol';
import type { RunRecord } from '../summary/record.js';
import type { Finding, Level, RunSummary, StageSummary } from '../summary/schema.js';
import type { ProbeSource, SearchSource } from '../summary/search.js';
import type { StageSource } from '../summary/stage-summary.js';

/** One stage that counts (no warm-up), as rules see it. */
export interface StageEvidence extends StageSource {
  readonly summary: StageSummary;
}

/** All that rules judge from. */
export interface Evidence {
  readonly plan: Plan;
  readonly run: RunSummary;
  readonly record: RunRecord;
  readonly stages: readonly StageEvidence[];
  /** Probes of searches but those that stand among `stages`: they may fail as they like, but have to add up. */
  readonly probes: readonly ProbeSource[];
  readonly searches: readonly SearchSource[];
  /** Frames merged. */
  readonly frames: number;
  readonly damage: readonly string[];
}

/** A rule states what it found, good or bad, one finding for each thing; none when it has nothing to judge. */
export interface Rule {
  readonly name: string;
  readonly judge: (evidence: Evidence) => readonly Observation[];
}

export interface Observation {
  readonly level: Level;
  readonly text: string;
  readonly figures: Finding['figures'];
  /** Where; null for the run as a whole. */
  readonly at: StageEvidence | null;
}

/** All stages and probes, for rules that nothing is exempt from. */
export function everyStage({ stages, probes }: Evidence): readonly StageEvidence[] {
  return [...stages, ...probes];
}

/** `measure` where a run has one cell, else `measure of redis, size=100, repetition 2`. */
export function nameStage(evidence: Evidence, at: Pick<StageEvidence, 'cell' | 'stage'>): string {
  if (evidence.plan.cells.length === 1) return at.stage.name;
  const coordinates = Object.entries(at.cell.coordinates).map(([name, value]) => `${name}=${value}`);
  const parts = [at.cell.configuration, ...coordinates];
  if (evidence.plan.cells.some((cell) => cell.repetition > 0))
    parts.push(`repetition ${at.cell.repetition + 1}`);
  return `${at.stage.name} of ${parts.join(', ')}`;
}
