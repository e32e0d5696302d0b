import type { Preset, PresetName } from './preset.js';
import { REDIS_BENCHMARK_FILLS } from './redis-benchmark.js';
import { ycsb } from './ycsb.js';

export function presetOf(name: PresetName): Preset {
  // Each test of redis-benchmark has a mix of its own, so its stages say it.
  return name === 'redis-benchmark' ? { fills: REDIS_BENCHMARK_FILLS, says: {} } : ycsb(name);
}
