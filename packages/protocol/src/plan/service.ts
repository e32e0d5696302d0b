import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { NameSchema } from './name.js';
import { milliseconds } from './quantities.js';

/** What is started and stopped during a run: servers, by a recipe of the workers. */
export const ServiceSchema = z
  .object({
    name: NameSchema,
    recipe: NameSchema,
    group: NameSchema.describe('The workers that run it.'),
    parameters: z
      .record(z.string().max(100), z.union([z.string().max(10_000), z.number(), z.boolean()]))
      .readonly()
      .describe("The recipe's own parameters, checked by its schema. Sizes in bytes, durations in ms."),
    username: z.string().max(1_000).nullable(),
    password: z.string().max(10_000).nullable(),
    readyWithinMs: milliseconds
      .min(1)
      .describe('All its processes are ready within this time of their start.'),
  })
  .readonly();
export type Service = z.infer<typeof ServiceSchema>;

export const FAULTS = ['pause', 'resume', 'kill', 'restart'] as const;

const service = NameSchema;
const how = z.enum(['graceful', 'kill']).describe('graceful: asked to end. kill: at once.');

/** What a stage does to a service instead of sending load. */
export const ServiceActionSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('start'), service }).readonly(),
  z.object({ do: z.literal('stop'), service, how }).readonly(),
  z
    .object({ do: z.literal('restart'), service, how })
    .readonly()
    .describe('Stops and starts it, on its ports and with its files.'),
  z
    .object({ do: z.literal('wait'), service })
    .readonly()
    .describe('Until every process answers and is part of the whole.'),
  z
    .object({ do: z.literal('clear'), service })
    .readonly()
    .describe('Deletes all data.'),
  z
    .object({ do: z.literal('snapshot'), service })
    .readonly()
    .describe('Asks the servers what they are.'),
  z
    .object({
      do: z.literal('fault'),
      service,
      fault: z
        .enum(FAULTS)
        .describe('pause, resume: suspended, and goes on. kill: SIGKILL. restart: after a kill.'),
      role: z.string().min(1).max(50).nullable().describe('Only processes of this role.'),
      index: z
        .int()
        .min(0)
        .max(LIMITS.serviceNodes)
        .nullable()
        .describe('Only this one, counted from 0 within the role, or within the service without one.'),
    })
    .readonly(),
]);
export type ServiceAction = z.infer<typeof ServiceActionSchema>;
type FaultAction = Extract<ServiceAction, { do: 'fault' }>;

/** Which processes a fault means: those of a role, or one of them. `nodes` are all of the service, by index. */
export function nodesMeant<Node extends { readonly role: string }>(
  nodes: readonly Node[],
  { role, index }: Pick<FaultAction, 'role' | 'index'>,
): readonly Node[] {
  const ofRole = role === null ? nodes : nodes.filter((node) => node.role === role);
  return index === null ? ofRole : ofRole.slice(index, index + 1);
}
