import {
  type DriverDescription,
  OPERATION_MEANINGS,
  OPERATIONS,
  type ParameterQuantity,
  TARGET_SCHEMES,
} from '@pacecar/protocol';
import { z } from 'zod';
import { DRIVERS } from './registry.js';

const HEAD = `# The drivers

<!-- Generated from what the drivers declare in packages/worker/src/drivers; \`npm run docs\` writes it, a test compares it. -->

A configuration of a scenario names its driver and the driver's settings:

\`\`\`yaml
configurations:
  library: { target: "redis://10.0.0.7:6379", driver: ioredis, settings: { autoPipelining: true } }
\`\`\`

- A **wire** driver speaks the protocol itself and costs as little as possible: what it measures is the target.
- A **client** driver uses the library that applications use: what it measures is what an application sees.

All drivers of a target do the same for an operation, and count hits, misses and errors in the same way. An operation has
one latency, however many keys, commands or steps it takes. \`pacecar drivers\` lists the drivers on a terminal;
\`pacecar validate\` refuses what a driver lacks by its name, before anything is sent.
[docs/scenario.md](scenario.md) has the keys of an operation.`;

/** docs/drivers.md, made from what the drivers declare. */
export function driversReference(): string {
  return `${[HEAD, '## Operations', operationTable(), ...DRIVERS.map(section)].join('\n\n')}\n`;
}

function operationTable(): string {
  const names = DRIVERS.map(({ name }) => `\`${name}\``);
  const rows = OPERATIONS.map((operation) => {
    const marks = DRIVERS.map(({ operations }) => (operations.includes(operation) ? 'yes' : ''));
    return row([`\`${operation}\``, ...marks, OPERATION_MEANINGS[operation]]);
  });
  const columns = ['Operation', ...names, 'What it does'];
  return [row(columns), row(columns.map(() => '---')), ...rows].join('\n');
}

function section(driver: DriverDescription): string {
  const { name, class: kind, scheme, summary } = driver;
  const speaks = `Class ${kind}, for targets \`${scheme}://HOST[:${TARGET_SCHEMES[scheme].port}]\`.`;
  return [`## ${name}`, summary, speaks, settingTable(driver.settings, 'Setting')].join('\n\n');
}

interface SettingSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SettingSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly quantity?: ParameterQuantity;
}

/** A Markdown table of what may be set, with its columns' first head. */
export function settingTable(settings: z.ZodType, head: 'Setting' | 'Parameter'): string {
  const { properties = {} } = z.toJSONSchema(settings, { io: 'input' }) as {
    properties?: Readonly<Record<string, SettingSchema>>;
  };
  const rows = Object.entries(properties).map(([name, schema]) =>
    row([
      `\`${name}\``,
      valueText(schema),
      `\`${JSON.stringify(schema.default)}\``,
      schema.description ?? '',
    ]),
  );
  if (rows.length === 0) return `It has no ${head.toLowerCase()}s.`;
  const columns = [head, 'Value', 'Default', 'Meaning'];
  return [row(columns), row(columns.map(() => '---')), ...rows].join('\n');
}

function valueText({
  type,
  const: only,
  enum: some,
  anyOf,
  minimum,
  maximum,
  quantity,
}: SettingSchema): string {
  if (quantity === 'size') return 'a size such as 1GB';
  if (quantity === 'duration') return 'a duration such as 5s';
  if (anyOf !== undefined) return anyOf.map(valueText).join(' or ');
  if (only !== undefined) return JSON.stringify(only);
  if (some !== undefined) return some.map((value) => JSON.stringify(value)).join(' or ');
  if (minimum !== undefined && maximum !== undefined) return `${type} ${minimum}..${maximum}`;
  return type ?? 'any';
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
