import type { WorkloadLayer } from '../workload/layer.js';

/** The benchmarks that a scenario can name. */
export const YCSB_PRESETS = ['ycsb-a', 'ycsb-b', 'ycsb-c', 'ycsb-d', 'ycsb-e', 'ycsb-f'] as const;
export type YcsbPreset = (typeof YCSB_PRESETS)[number];

export const PRESETS = ['redis-benchmark', ...YCSB_PRESETS] as const;
export type PresetName = (typeof PRESETS)[number];

/** A known benchmark as layers of a workload. */
export interface Preset {
  /** What it needs and nobody says. */
  readonly fills: WorkloadLayer;
  /** What it is about. */
  readonly says: WorkloadLayer;
}
