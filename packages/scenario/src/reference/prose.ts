import { OBJECTIVE_METRICS } from '@pacecar/protocol';
import { AMOUNT_FORM } from '../quantity/amount.js';
import { COUNT_FORM } from '../quantity/count.js';
import { DURATION_FORM, LATENCY_FORM } from '../quantity/duration.js';
import { KEY_RANGE_FORM } from '../quantity/key-range.js';
import { OBJECTIVE_FORM } from '../quantity/objective.js';
import { RATE_FORM } from '../quantity/rate.js';
import { RATIO_FORM } from '../quantity/ratio.js';
import { SIZE_FORM } from '../quantity/size.js';
import { WEIGHT_FORM } from '../quantity/weight.js';
import { cell, code } from './table.js';

/** The parts of the reference that people wrote. */

export const HEAD = `# The scenario

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

export const STAGES = `\`stages\` is a list. An entry is the kind of a stage, alone (\`- load\`) or with what it does
(\`- load: { depth: 16 }\`). The stages of a cell run one after another; each ends when all of its workers have ended it.
A stage has one end: \`for\`, \`operations\`, \`allKeys\`, \`background\` or \`until\`. Load and verify touch every key once.

Several workloads run at once in one stage, each with rows of its own:

\`\`\`yaml
- measure:
    for: 1m
    workloads:
      - { name: reader, rate: 10k/s, mix: { get: 1 } }
      - { name: poller, rate: 1/s, connections: 3 total, mix: { put: 1 } }
\`\`\``;

export const BACKGROUND = `A measure stage with \`background: true\` or \`until: NAME\` runs beside the stages after it: it starts in its turn, the run goes
on to the next stage at once, and when the last stage of the list (or the later one of that name) has closed, it is told to
stop and drains before the run goes on.

\`\`\`yaml
stages:
  - load
  - measure: { name: poll, until: steady, rate: 1/s, connections: 1 per worker, mix: { get: 1 } }
  - warm-up: { for: 5s }
  - measure: { name: steady, for: 1m, mix: { get: 80, put: 20 } }
  - verify
\`\`\`

It has connections, engine threads, operations, statistics and a section of the report of its own; nothing of it is mixed with
the stages beside it, but for the CPU time and memory of a worker, which are those of its process. Its group may be theirs or
another. It takes what \`workload\` says, as every measure stage does. It has no other end and no limit; a warm-up, a load, a
verify and a suite cannot run in the background. A warm-up takes what it does not say from the next measure stage that is not
in the background. Budgets hold for it as for others; an objective judges it only where it names its workload, as in
\`poller.get.p99 < 5ms\`. A worker that is lost in it, or a failure, means what it means in any stage.`;

export const VALUES = `## How values are written

The same grammar holds in every field and in the flags of the command line. Blanks between a number and its unit may
stand or not.

| Value | Written | Notes |
|---|---|---|
| duration | ${cell(DURATION_FORM)} | units d, h, m, s, ms, the largest first; a number without a unit is refused |
| latency | ${cell(LATENCY_FORM)} | also us and ns, in objectives |
| count | ${cell(COUNT_FORM)} | exact up to 2^53-1 and refused beyond, never rounded |
| size | ${cell(SIZE_FORM)} | bytes; both ends of a range are included; at most 512MiB |
| key range | ${cell(KEY_RANGE_FORM)} | |
| rate | ${cell(RATE_FORM)} | per s, min or h; of all workers together |
| share | ${cell(RATIO_FORM)} | |
| weight | ${cell(WEIGHT_FORM)} | percentages must add up to 100 % |
| turns | 1, 10 or 1k | whole, in a ratio |
| amount | ${cell(AMOUNT_FORM)} | always says whether for each worker or in total |

A total is split exactly: 1003 operations over 10 workers are 3 workers x 101 and 7 x 100.`;

export const PROPERTIES = `## Properties

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

export const CELLS = `## Cells

A cell is one configuration at one point of the sweep in one repetition; it runs the whole list of stages. With
\`order: interleaved\` the configurations take turns at each point, and all of it is repeated: A B A B. With
\`order: sequential\` each configuration does everything before the next begins, each point with its repetitions:
A A B B. The first property of a sweep turns slowest.`;

export const OBJECTIVES = `## Objectives

\`operation.metric < threshold\` with \`<\`, \`<=\`, \`>\` or \`>=\`: ${OBJECTIVE_FORM}.

- Operations: the name of one in a mix, of a workload and one with a dot between (\`poller.get\`), or \`total\`.
- Metrics: ${OBJECTIVE_METRICS.map(code).join(', ')}. Latencies are compared with a latency, \`throughput\` with a rate,
  \`errors\` and \`misses\` with a share. In the open model latencies are response times.`;

export const ERRORS = `## When something is wrong

Every problem is said at once, each with its file, line, column and path, what was found and what is allowed; the exit
code is 2 and nothing is sent. Unknown keys, keys that stand twice, properties that nobody defined, operations that a
driver lacks and shares that cannot be split are problems. Dashes and blanks that were copied from a web page are
named.`;
