import type { z } from 'zod';
import type { Operation } from './plan.js';

/** What a driver declares of itself; enough to refuse a plan before anything is sent. */
export interface DriverDescription {
  readonly name: string;
  /** client: the library that applications use. wire: the protocol itself. */
  readonly class: 'client' | 'wire';
  /** One sentence for `pacecar drivers` and the scenario reference. */
  readonly summary: string;
  readonly operations: readonly Operation[];
  /** Schema of `Configuration.settings`: strict, every setting with its default and description. */
  readonly settings: z.ZodType<Readonly<Record<string, string | number | boolean>>>;
}
