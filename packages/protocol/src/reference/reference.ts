import { FAILURE_CODES } from '../failure.js';
import { LIMITS } from '../limits.js';
import { InsertedRoundsSchema, WorkerInsertsSchema } from '../inserts.js';
import {
  CoordinatorMessageSchema,
  DriverFactsSchema,
  HostFactsSchema,
  PROTOCOL_VERSION,
  SUBPROTOCOL,
  TargetFactsSchema,
  TotalsSchema,
  WorkerMessageSchema,
} from '../message.js';
import {
  ActionSchema,
  AmountSchema,
  ClosedModelSchema,
  ConfigurationSchema,
  KeysSchema,
  NameSchema,
  OpenModelSchema,
  OperationSchema,
  ReconnectSchema,
  RecordsSchema,
  ServiceSchema,
  SizeSchema,
  StageSchema,
  TargetSchema,
  AddressSchema,
  TlsSchema,
  ValuesSchema,
  WorkloadSchema,
} from '../plan.js';
import { RateProfileSchema } from '../schedule/profile.js';
import { ServiceNodeReportSchema, ServiceNodeSchema } from '../service.js';
import { COORDINATOR_EXAMPLES, WORKER_EXAMPLES } from './examples.js';
import { frameLayout } from './frame-layout.js';
import { fieldTable, grouped, type JsonSchema, jsonSchemas, typeText } from './schema-text.js';
import { SEQUENCES } from './sequences.js';

/** Types that messages share, in the order in which the reference explains them. */
const SHARED = {
  Name: NameSchema,
  HostFacts: HostFactsSchema,
  DriverFacts: DriverFactsSchema,
  TargetFacts: TargetFactsSchema,
  Totals: TotalsSchema,
  Configuration: ConfigurationSchema,
  Target: TargetSchema,
  Address: AddressSchema,
  Tls: TlsSchema,
  Stage: StageSchema,
  Workload: WorkloadSchema,
  Amount: AmountSchema,
  Operation: OperationSchema,
  Action: ActionSchema,
  Keys: KeysSchema,
  Values: ValuesSchema,
  Size: SizeSchema,
  Records: RecordsSchema,
  ClosedModel: ClosedModelSchema,
  OpenModel: OpenModelSchema,
  RateProfile: RateProfileSchema,
  Reconnect: ReconnectSchema,
  WorkerInserts: WorkerInsertsSchema,
  InsertedRounds: InsertedRoundsSchema,
  Service: ServiceSchema,
  ServiceNode: ServiceNodeSchema,
  ServiceNodeReport: ServiceNodeReportSchema,
} as const;

const WORKER_MESSAGES = 'WorkerMessage';
const COORDINATOR_MESSAGES = 'CoordinatorMessage';

/** docs/protocol.md, made from the schemas, limits and codes: what a worker in another language needs. */
export function protocolReference(): string {
  const schemas = jsonSchemas({
    ...SHARED,
    [WORKER_MESSAGES]: WorkerMessageSchema,
    [COORDINATOR_MESSAGES]: CoordinatorMessageSchema,
  });
  return [
    '<!-- Made by `npm run docs` from packages/protocol; a test holds it equal to the schemas. -->',
    '# The Pacecar protocol',
    `Version ${PROTOCOL_VERSION}, WebSocket subprotocol \`${SUBPROTOCOL}\`. Between one coordinator and its workers; a worker may be written in any language.`,
    SEQUENCES,
    '## Messages of a worker',
    ...messages(schemas[WORKER_MESSAGES] as JsonSchema, WORKER_EXAMPLES),
    '## Messages of the coordinator',
    ...messages(schemas[COORDINATOR_MESSAGES] as JsonSchema, COORDINATOR_EXAMPLES),
    '## Types',
    ...Object.keys(SHARED).map((name) => sharedType(name, schemas[name] as JsonSchema)),
    frameLayout().trimEnd(),
    '## Limits',
    'A peer that goes past one is refused with `LIMIT_EXCEEDED` or `MESSAGE_INVALID`; nothing is cut silently.',
    limitTable(),
    '## Failure codes',
    'Codes that messages carry, and the exit code of a Pacecar process that ends with one.',
    codeTable(),
  ]
    .join('\n\n')
    .concat('\n');
}

function messages(union: JsonSchema, examples: Readonly<Record<string, unknown>>): string[] {
  return (union.oneOf ?? []).map((schema) => {
    const type = String(schema.properties?.['type']?.const);
    return [
      `### ${type}`,
      schema.description ?? '',
      fieldTable(schema),
      `\`\`\`json\n${JSON.stringify(examples[type], null, 2)}\n\`\`\``,
    ].join('\n\n');
  });
}

function sharedType(name: string, schema: JsonSchema): string {
  const body = schema.properties === undefined ? `${typeText(schema)}.` : fieldTable(schema);
  return [`### ${name}`, ...(schema.description === undefined ? [] : [schema.description]), body].join(
    '\n\n',
  );
}

function limitTable(): string {
  const rows = Object.entries(LIMITS).map(
    ([name, value]) => `| ${name} | ${value === Number.MAX_SAFE_INTEGER ? '2^53-1' : grouped(value)} |`,
  );
  return ['| limit | value |', '|---|---|', ...rows].join('\n');
}

function codeTable(): string {
  const rows = Object.entries(FAILURE_CODES).map(([code, exit]) => `| \`${code}\` | ${exit} |`);
  return ['| code | exit |', '|---|---|', ...rows].join('\n');
}
