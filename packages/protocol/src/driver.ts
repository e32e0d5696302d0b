import type { z } from 'zod';
import type { Configuration, Operation, Workload } from './plan.js';

const PLAIN = {
  ...{ hasUser: false, databases: null, hasTls: false, hasSocket: false, hasNodes: false },
} as const;

/** What targets speak, by the scheme of their URL; whether their databases have numbers or names, if they have any. */
export const TARGET_SCHEMES = {
  redis: { port: 6379, hasUser: true, databases: 'numbers', hasTls: true, hasSocket: true, hasNodes: true },
  memcached: { port: 11_211, ...PLAIN },
  hazelcast: { port: 5_701, ...PLAIN },
  mongodb: { port: 27_017, ...PLAIN, hasUser: true, databases: 'names', hasNodes: true },
} as const;
export type TargetScheme = keyof typeof TARGET_SCHEMES;

/** What a driver declares of itself; enough to refuse a plan before anything is sent. */
export interface DriverDescription {
  readonly name: string;
  /** client: the library that applications use. wire: the protocol itself. */
  readonly class: 'client' | 'wire';
  /** npm name of a client driver's library. Absent: the driver bears its name. */
  readonly library?: string;
  /** One sentence for `pacecar drivers` and the scenario reference. */
  readonly summary: string;
  /** Targets that it speaks to. */
  readonly scheme: TargetScheme;
  readonly operations: readonly Operation[];
  /** Schema of `Configuration.settings`: strict, every setting with its default and description. */
  readonly settings: z.ZodType<Readonly<Record<string, string | number | boolean>>>;
  /**
   * What the target cannot take of a workload whose operations it has, in words that name the value and what is
   * allowed; null: nothing. Absent: there is no such limit.
   */
  readonly objection?: (workload: Workload, configuration: Configuration) => string | null;
  /** The same of a configuration, whatever it is for: settings that do not go together, or not with the target. */
  readonly refusal?: (configuration: Configuration) => string | null;
}
