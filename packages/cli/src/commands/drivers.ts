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
      await writeOut(options.json === true ? asJson(DRIVERS) : asText(DRIVERS));
    });
}

function asJson(drivers: readonly DriverDescription[]): string {
  const all = drivers.map(({ settings, ...rest }) => ({ ...rest, settings: z.toJSONSchema(settings) }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** A block for each driver, at most 100 columns wide. */
function asText(drivers: readonly DriverDescription[]): string {
  return drivers
    .map(({ name, class: kind, operations, summary }) => {
      const lines = [...wrapped(summary.split(' ')), ...wrapped(operations)];
      return `${name}, class ${kind}\n${lines.map((line) => `  ${line}\n`).join('')}`;
    })
    .join('\n');
}

/** Words in lines that fit behind two blanks. */
export function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > 98) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
