import { OPERATION_MEANINGS, OPERATIONS, PLACEHOLDERS } from '@pacecar/protocol';
import { REDIS_TESTS } from '../preset/redis-benchmark.js';
import { YCSB_WORKLOADS } from '../preset/ycsb.js';
import { RATE_FILE_FORM } from '../workload/rate-file.js';
import { DISTRIBUTION_MEANINGS, DISTRIBUTION_SHAPES, DISTRIBUTIONS, KeysShape } from '../written/keys.js';
import { PARAMETER_SHAPE, PARAMETERS } from '../written/mix.js';
import {
  RampShape,
  RateFileShape,
  RateShapes,
  SineShape,
  StaircaseShape,
  StepShape,
} from '../written/model.js';
import { ContentShapes, GaussianSizeShape, RecordsShape, SizeShapes, ValueShape } from '../written/values.js';
import { WorkloadShape } from '../written/workload.js';
import { cell, code, table } from './table.js';

/** What the reference says of a load. */
export function workloadSections(): string[] {
  return [
    '## Workload',
    WORKLOAD,
    table(WorkloadShape),
    '### Operations',
    OPERATIONS_HEAD,
    operationTable(),
    'What an operation can be told:',
    table(PARAMETER_SHAPE),
    OPERATION_FORMS,
    placeholderTable(),
    '### Keys',
    'A key is the prefix, its number and the suffix: `key:00042`.',
    table(KeysShape),
    '### Distributions',
    'A word, or a mapping of one word and what it is told: `{ zipfian: { exponent: 1.2 } }`. Only `latest` draws keys that are inserted while the stage runs, from the moment on at which they are acknowledged: its own at once, those of other workers about an interval later. What it draws so depends on when answers come. The others keep to the range.',
    distributionTable(),
    '### Values',
    'A size alone (`value: 100..1000`), or a mapping:',
    table(ValueShape),
    'Sizes have two more forms:',
    table(SizeShapes),
    'of which `gaussian` has:',
    table(GaussianSizeShape),
    'Contents:',
    table(ContentShapes),
    '### Records',
    RECORDS,
    table(RecordsShape),
    '### Rates',
    RATES,
    table(RateShapes),
    'A ramp:',
    table(RampShape),
    'A step:',
    table(StepShape),
    'A sine:',
    table(SineShape),
    `A file has ${RATE_FILE_FORM}; the first line is at 0, and a line of words above it is its head. In a mapping it has:`,
    table(RateFileShape),
    'A staircase of the closed model:',
    table(StaircaseShape),
    '### Presets',
    PRESETS,
    presetTable(),
    REDIS_BENCHMARK,
  ];
}

function operationTable(): string {
  const rows = OPERATIONS.map((operation) => {
    const told = PARAMETERS[operation].map(code).join(', ');
    return `| ${code(operation)} | ${cell(OPERATION_MEANINGS[operation])} | ${told} |`;
  });
  return ['| Operation | Does | Can be told |', '|---|---|---|', ...rows].join('\n');
}

function placeholderTable(): string {
  const rows = Object.entries(PLACEHOLDERS).map(([name, { meaning, digits }]) => {
    const wide = digits === null ? '' : `, ${digits} digits`;
    return `| ${code(`__${name}__`)} | ${cell(meaning + wide)} |`;
  });
  return ['| Placeholder | Stands for |', '|---|---|', ...rows].join('\n');
}

function distributionTable(): string {
  const rows = DISTRIBUTIONS.map((name) => {
    const told = Object.keys(DISTRIBUTION_SHAPES[name]).map(code).join(', ');
    return `| ${code(name)} | ${cell(DISTRIBUTION_MEANINGS[name])} | ${told} |`;
  });
  const more = Object.entries(DISTRIBUTION_SHAPES).flatMap(([name, shape]) =>
    Object.keys(shape).length === 0 ? [] : [`${code(name)}:`, table(shape)],
  );
  return [['| Distribution | Draws | Can be told |', '|---|---|---|', ...rows].join('\n'), ...more].join(
    '\n\n',
  );
}

function presetTable(): string {
  const rows = Object.entries(YCSB_WORKLOADS).map(([name, { says }]) => `| ${code(name)} | ${cell(says)} |`);
  return ['| Preset | Is |', '|---|---|', ...rows].join('\n');
}

const WORKLOAD = `What stands in \`workload\` holds for all stages; a stage overrides it key by key, inside \`keys\` and \`value\` too. Load
and verify stages take from it what is in the store and how they press (threads, connections, depth), and not the mix,
the rate, think time and reconnects of the measured load; these they have only if they say so themselves.`;

const OPERATIONS_HEAD = `A driver has some of these; a plan that asks for one that it lacks is refused before anything is sent.
\`pacecar drivers\` lists what each has, as [docs/drivers.md](drivers.md) does with their settings.`;

const OPERATION_FORMS = `In a mapping, the number behind an operation is its weight, and more is told in a mapping. A list holds an operation as
often as needed, and commands:

\`\`\`yaml
mix:
  - get: 80
  - put: { weight: 10, name: short-lived, timeToLive: 10s }
  - command: "ZADD board __score__ __member__"
    weight: 5
  - transaction: ["INCR __key__", "EXPIRE __key__ 60"]
    weight: 5
    name: counted
\`\`\`

Each entry is a row of the report, under its name. With \`ratio\` in place of \`mix\` the numbers are turns, and the order of
writing is the order of the turns. A command is written as for redis-cli: words between blanks, quotes where a word
holds blanks, and placeholders, each drawn anew for every operation. A long one stands in a file:
\`command: { file: big.txt }\`.`;

const RECORDS = `The record of YCSB: fields \`field0\`, \`field1\` ... of a size. With \`records\`, load inserts records, verify reads them
with all their fields, and the mix has operations on records.`;

const RATES = `With \`rate\` the model is open: operations are due by a schedule over all workers, whatever the answers do. Response time
counts from when an operation was due, service time from when it was sent. An operation waits while all
connections x depth are in flight; it is counted as late, and dropped after \`dropAfter\`. Without a rate the model is
closed, and a target that stalls holds up the load as well: no correction of latencies is possible, and the report says
so. \`rate: 20000/s\` is a constant rate; a mapping has one of:`;

const PRESETS = `A preset fills what a known benchmark takes for granted; whatever is written beside it or in \`workload\` wins over that,
and only the mix is the preset's own.

The core workloads of YCSB, with records of 10 fields of 100 bytes under \`user\` and the hash of their number, 1000 of
them unless \`keys\` says otherwise:`;

const REDIS_BENCHMARK = `\`- measure: { preset: redis-benchmark }\` is the suite of redis-benchmark: a measure stage for each test, named after it
(${REDIS_TESTS.join(', ')}), with its commands. \`tests\` chooses some of them; PING and LRANGE stand for theirs. What it
takes for granted: 50 connections total, 100000 operations total, values of 3 bytes, one key. Before the first LRANGE a
stage that enters no result fills the list.`;
