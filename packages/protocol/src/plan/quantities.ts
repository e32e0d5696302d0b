import { z } from 'zod';
import { LIMITS } from '../limits.js';

/** Numbers of the plan, bounded. */
export const count = z.int().min(0).max(LIMITS.count);
export const positive = z.int().min(1).max(LIMITS.count);
export const milliseconds = z
  .number()
  .min(0)
  .max(31 * 24 * 3_600_000);
export const valueBytes = z.int().min(0).max(LIMITS.valueBytes);
