import { z } from 'zod';
import { LIMITS } from './limits.js';
import { TargetFactsSchema } from './facts.js';

/** What a recipe is given, by name. Sizes in bytes, durations in ms. */
export type ServiceParameters = Readonly<Record<string, string | number | boolean>>;

/** What a recipe declares of itself; enough to refuse a scenario before anything is sent. */
export interface RecipeDescription {
  readonly name: string;
  /** One sentence for lists and the scenario reference. */
  readonly summary: string;
  /** What its processes are there for, for example master and replica; the first role is where clients go. */
  readonly roles: readonly [string, ...string[]];
  /** What clients speak to it: the scheme of such a target's URL. */
  readonly speaks: string;
  /** Whether its servers can ask for a user and a password. */
  readonly login: boolean;
  /**
   * Schema of the parameters: strict, each with its default and description. A number with the meta `quantity` is
   * written as a size or a duration and arrives here in bytes or ms.
   */
  readonly parameters: z.ZodType<ServiceParameters>;
}

/** How a number of a recipe's parameters is written in a scenario. */
export type ParameterQuantity = 'size' | 'duration';

export const ServiceNodeSchema = z
  .object({
    role: z.string().min(1).max(50).describe('What it is there for, for example master.'),
    index: z.int().min(0).max(10_000).describe('Which process of the service, over all its workers.'),
    worker: z.int().min(0).max(10_000).describe('Which worker of the group runs it.'),
    host: z.string().min(1).max(253),
    port: z.int().min(1).max(65_535),
    certificateAuthority: z
      .string()
      .max(100_000)
      .nullable()
      .describe('PEM of the authority that its certificate is to be checked by; null without TLS.'),
  })
  .readonly()
  .describe('One server process of a service, as clients and its peers reach it.');
export type ServiceNode = z.infer<typeof ServiceNodeSchema>;

/** What a worker says of one process when a stage has done something to its service. */
export const ServiceNodeReportSchema = z
  .object({
    role: z.string().min(1).max(50),
    index: z.int().min(0).max(10_000),
    address: z.string().max(300),
    facts: TargetFactsSchema.nullable().describe('null where it was not asked, or does not answer.'),
    files: z
      .array(z.object({ name: z.string().max(500), bytes: z.int().min(0).max(LIMITS.count) }).readonly())
      .max(LIMITS.serviceFiles)
      .readonly()
      .describe('Files of its data, largest first.'),
    end: z
      .enum(['in-order', 'killed'])
      .nullable()
      .describe(
        'in-order: it ended when it was asked. killed: it had to be, or was to be. null: it was not stopped.',
      ),
    log: z.string().max(LIMITS.serviceLogCharacters).describe('The last of what it has said.'),
  })
  .readonly();
export type ServiceNodeReport = z.infer<typeof ServiceNodeReportSchema>;
