import type { z } from 'zod';
import { keyDoc } from '../key-doc.js';
import { ConfigurationShape, LivenessShape, ScenarioShape } from '../written/scenario.js';
import { TargetShape, TlsShape } from '../written/target.js';
import { ACT_SHAPES, ACT_WORDS, ServiceShape, ServiceTargetShape } from '../written/service.js';
import { SearchShape, StopShape } from '../written/search.js';
import { STAGE_SHAPES, StageSchema } from '../written/stage.js';
import { WorkloadShape } from '../written/workload.js';
import { BACKGROUND, CELLS, ERRORS, HEAD, OBJECTIVES, PROPERTIES, STAGES, VALUES } from './prose.js';
import { ENDING_EARLY, SEARCH_ENDS, SEARCHES } from './search-prose.js';
import { ACTS, SERVICES } from './service-prose.js';
import { code, table } from './table.js';
import { workloadSections } from './workload-sections.js';

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
    'A target is `builtin`, a URL `redis://user:password@host:port/database`, `memcached://host:port` or ' +
      '`mongodb://user:password@host:port/database` (only the host is needed), or a mapping:',
    table(TargetShape),
    '### TLS',
    'A certificate that does not verify ends the run before anything is sent. Of a service with TLS nothing of this is written.',
    table(TlsShape),
    '### Target of a service',
    'Or the address of a service, which is known once it has been started:',
    table(ServiceTargetShape),
    '## Services',
    SERVICES,
    table(ServiceShape),
    ...workloadSections(),
    '## Stages',
    STAGES,
    ...stageSections(),
    '### Stages without load',
    ACTS,
    ...actSections(),
    '### Background stages',
    BACKGROUND,
    '### Searches',
    SEARCHES,
    table(SearchShape),
    SEARCH_ENDS,
    '### Ending early',
    ENDING_EARLY,
    table(StopShape),
    '## Liveness',
    table(LivenessShape),
    VALUES,
    PROPERTIES,
    CELLS,
    OBJECTIVES,
    ERRORS,
  ].join('\n\n')}\n`;
}

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

function actSections(): string[] {
  const [, stages] = StageSchema.options;
  return ACT_WORDS.flatMap((word) => [
    `#### ${word}`,
    keyDoc(stages.shape[word]).says,
    table(ACT_SHAPES[word]),
  ]);
}

function shapeOf(shape: z.ZodRawShape, key: string): z.ZodType {
  return shape[key] as z.ZodType;
}
