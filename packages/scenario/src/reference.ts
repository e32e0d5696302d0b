import { OBJECTIVE_METRICS, OPERATIONS } from '@pacecar/protocol';
import type { z } from 'zod';
import { keyDoc } from './key-doc.js';
import { AMOUNT_FORM } from './quantity/amount.js';
import { COUNT_FORM } from './quantity/count.js';
import { DURATION_FORM, LATENCY_FORM } from './quantity/duration.js';
import { KEY_RANGE_FORM } from './quantity/key-range.js';
import { OBJECTIVE_FORM } from './quantity/objective.js';
import { RATE_FORM } from './quantity/rate.js';
import { RATIO_FORM } from './quantity/ratio.js';
import { SIZE_FORM } from './quantity/size.js';
import { WEIGHT_FORM } from './quantity/weight.js';
import { ConfigurationShape, LivenessShape, ScenarioShape, TargetShape } from './written.js';
import { KeysShape, STAGE_SHAPES, StageSchema, WorkloadShape } from './written-stage.js';

/** docs/scenario.md: every key of a scenario, from the schemas that read it. */
export function scenarioReference(): string {
  return `${[
    HEAD,
    '## The file',
    table(ScenarioShape),
    '## Configurations',
    'Each entry of `configurations` is named by its key.',
    table(ConfigurationShape),
    '### Target',
    'A target is `builtin`, a URL `redis://user:password@host:port/database` (only the host is needed), or a mapping:',
    table(TargetShape),
    '## Workload',
    'What stands in `workload` holds for all stages; a stage overrides it key by key, inside `keys` too.',
    table(WorkloadShape),
    '### Keys',
    'A key is the prefix and its number: `key:00042`.',
    table(KeysShape),
    '## Stages',
    STAGES,
    ...stageSections(),
    '## Liveness',
    table(LivenessShape),
    VALUES,
    PROPERTIES,
    CELLS,
    OBJECTIVES,
    ERRORS,
  ].join('\n\n')}\n`;
}

function table(shape: z.ZodRawShape, only: (key: string) => boolean = () => true): string {
  const rows = Object.entries(shape)
    .filter(([key]) => only(key))
    .map(([key, schema]) => {
      const { says, type, fallback, example } = keyDoc(schema);
      const needed = (schema as z.ZodType).safeParse(undefined).success ? '' : '**required**';
      const shown = fallback === undefined ? needed : code(fallback);
      return `| ${code(key)} | ${cell(type)} | ${shown} | ${cell(says)} | ${example === undefined ? '' : code(example)} |`;
    });
  return ['| Key | Value | Default | Meaning | Example |', '|---|---|---|---|---|', ...rows].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => cell(`\`${text}\``);

function stageSections(): string[] {
  const [, stages] = StageSchema.options;
  return Object.entries(STAGE_SHAPES).flatMap(([kind, shape]) => {
    const says = keyDoc(stages.shape[kind as keyof typeof STAGE_SHAPES]).says;
    const shared = Object.keys(WorkloadShape);
    const own = (key: string) =>
      !shared.includes(key) ||
      keyDoc(shapeOf(shape, key)).fallback !== keyDoc(shapeOf(WorkloadShape, key)).fallback;
    const missing = shared.filter((key) => !(key in shape));
    const except = missing.length === 0 ? '' : ` except ${missing.map(code).join(' and ')}`;
    return [`### ${kind}`, `${says} It has the keys of \`workload\`${except}, and:`, table(shape, own)];
  });
}

function shapeOf(shape: z.ZodRawShape, key: string): z.ZodType {
  return shape[key] as z.ZodType;
}

const HEAD = `# The scenario

<!-- Generated from the schemas in packages/scenario; \`npm run docs\` writes it, a test compares it. -->

A scenario is one YAML 1.2 file that says what is run against what. \`pacecar validate FILE\` shows what becomes of
it, every default resolved, and sends nothing. A small one:

\`\`\`yaml
pacecar: 1
groups: { clients: 3 }
configurations:
  builtin: { target: builtin }
workload: { keys: 100k, value: 100..1000 }
stages:
  - load
  - warm-up: { for: 2s }
  - measure: { for: 10s, mix: { get: 80%, put: 20% } }
  - verify
\`\`\`

Editors complete and check scenarios by \`docs/scenario.schema.json\` (also printed by \`pacecar schema scenario\`);
this line at the top of a file says so:

\`\`\`yaml
# yaml-language-server: $schema=../docs/scenario.schema.json
\`\`\``;

const STAGES = `\`stages\` is a list. An entry is the kind of a stage, alone (\`- load\`) or with what it does
(\`- load: { depth: 16 }\`). The stages of a cell run one after another; each ends when all of its workers have ended it.
A stage has one end: \`for\`, \`operations\` or \`allKeys\`. Load and verify touch every key once.`;

const VALUES = `## How values are written

The same grammar holds in every field and in the flags of the command line. Blanks between a number and its unit may
stand or not.

| Value | Written | Notes |
|---|---|---|
| duration | ${cell(DURATION_FORM)} | units d, h, m, s, ms, the largest first; a number without a unit is refused |
| latency | ${cell(LATENCY_FORM)} | also us and ns, in objectives |
| count | ${cell(COUNT_FORM)} | exact up to 2^53-1 and refused beyond, never rounded |
| size | ${cell(SIZE_FORM)} | bytes; both ends of a range are included; at most 512MiB |
| key range | ${cell(KEY_RANGE_FORM)} | |
| rate | ${cell(RATE_FORM)} | per s, min or h |
| share | ${cell(RATIO_FORM)} | |
| weight | ${cell(WEIGHT_FORM)} | in a mix, percentages must add up to 100 % |
| amount | ${cell(AMOUNT_FORM)} | always says whether for each worker or in total |

A total is split exactly: 1003 operations over 10 workers are 3 workers x 101 and 7 x 100.`;

const PROPERTIES = `## Properties

| Expression | Stands for |
|---|---|
| \`\${name}\` | the value of a property, a swept value, or \`--set name=value\`; a problem if there is none |
| \`\${name:default}\` | the same, or the default |
| \`\${env.NAME}\` | an environment variable; a problem if it is not set |
| \`\${env.NAME:default}\` | the same, or the default |
| \`$\${\` | a plain \`\${\` |

\`--set\` overrides a property, and replaces the whole list of a swept one. Values of properties may use others.
Expressions stand in values, not in keys, and need no quotes, not even in \`{ keys: \${keys} }\`. Passwords belong into the environment: what stands in the file earns a
warning, and what is kept of a run never holds it.`;

const CELLS = `## Cells

A cell is one configuration at one point of the sweep in one repetition; it runs the whole list of stages. With
\`order: interleaved\` the configurations take turns at each point, and all of it is repeated: A B A B. With
\`order: sequential\` each configuration does everything before the next begins, each point with its repetitions:
A A B B. The first property of a sweep turns slowest.`;

const OBJECTIVES = `## Objectives

\`operation.metric < threshold\` with \`<\`, \`<=\`, \`>\` or \`>=\`: ${OBJECTIVE_FORM}.

- Operations: ${[...OPERATIONS, 'total'].map(code).join(', ')}.
- Metrics: ${OBJECTIVE_METRICS.map(code).join(', ')}. Latencies are compared with a latency, \`throughput\` with a rate,
  \`errors\` and \`misses\` with a share.`;

const ERRORS = `## When something is wrong

Every problem is said at once, each with its file, line, column and path, what was found and what is allowed; the exit
code is 2 and nothing is sent. Unknown keys, keys that stand twice, properties that nobody defined, operations that a
driver lacks and shares that cannot be split are problems. Dashes and blanks that were copied from a web page are
named.`;
