import type { DriverDescription } from '@pacecar/protocol';
import { Command } from 'commander';
import { z } from 'zod';
import { writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';

export function driversCommand(): Command {
  return new Command('drivers')
    .summary('list the drivers')
    .description('Lists the drivers: what they speak and which operations they have.')
    .helpGroup(HELP_GROUPS.reference)
    .option('--json', 'as JSON, with the schema of their settings')
    .action(async (options: { readonly json?: true }) => {
      const { DRIVERS } = await import('@pacecar/worker');
      await writeOut(options.json === true ? asJson(DRIVERS) : asTable(DRIVERS));
    });
}

function asJson(drivers: readonly DriverDescription[]): string {
  const all = drivers.map(({ settings, ...rest }) => ({ ...rest, settings: z.toJSONSchema(settings) }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

function asTable(drivers: readonly DriverDescription[]): string {
  const head = ['DRIVER', 'CLASS', 'OPERATIONS', ''];
  const rows = drivers.map(({ name, class: kind, operations, summary }) => [
    name,
    kind,
    operations.join(' '),
    summary,
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
