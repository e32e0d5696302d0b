import { CoordinatorMessageSchema, WorkerMessageSchema } from '@pacecar/protocol';
import { Argument, Command } from 'commander';
import { z } from 'zod';
import { writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';

const SCHEMAS = ['scenario', 'summary', 'messages'] as const;

export function schemaCommand(): Command {
  return new Command('schema')
    .summary('print a JSON schema')
    .description('Prints the JSON schema of scenarios, summaries or messages.')
    .helpGroup(HELP_GROUPS.reference)
    .addArgument(
      new Argument(
        '<of>',
        'scenario files, the summary in a bundle, or the messages of the protocol',
      ).choices(SCHEMAS),
    )
    .addHelpText(
      'after',
      `
Examples:
  pacecar schema scenario > pacecar.schema.json     for an editor that completes scenarios
  pacecar schema summary                            what summary.json and --json hold`,
    )
    .action(async (of: (typeof SCHEMAS)[number]) => {
      await writeOut(`${JSON.stringify(await READ[of](), null, 2)}\n`);
    });
}

const READ: Readonly<Record<(typeof SCHEMAS)[number], () => Promise<object>>> = {
  scenario: async () => (await import('@pacecar/scenario')).scenarioJsonSchema(),
  summary: async () => (await import('@pacecar/report')).summaryJsonSchema(),
  messages: async () =>
    z.toJSONSchema(
      z.union([WorkerMessageSchema, CoordinatorMessageSchema]).meta({
        title: 'Pacecar control messages',
        description: 'JSON messages of the WebSocket subprotocol pacecar.v1.',
      }),
    ),
};
