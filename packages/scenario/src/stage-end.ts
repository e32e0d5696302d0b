import type { Stage } from '@pacecar/protocol';
import type { WrittenBackground } from './background.js';
import { type Findings, under } from './findings.js';
import { REDIS_BENCHMARK_OPERATIONS } from './preset/redis-benchmark.js';
import { entry, type Fields } from './reader.js';
import type { SourceMapping } from './source-tree.js';
import type { MeasureShape } from './written/stage.js';

const DEFAULT_FOR_MS = { measure: 10_000, 'warm-up': 5_000 };

/** As written: which stage a background waits for is found once all stages have names. */
export type WrittenEnd = Exclude<Stage['end'], { readonly kind: 'stage' }> | WrittenBackground;

/** The one end that a measure stage or a warm-up has. */
export function readEnd(
  kind: 'measure' | 'warm-up',
  fields: Fields<typeof MeasureShape>,
  mapping: SourceMapping | null,
  path: string,
  findings: Findings,
): WrittenEnd {
  const isBackground = fields.background === true || entry(mapping, 'until') !== undefined;
  const isGiven: Readonly<Record<string, boolean>> = {
    for: entry(mapping, 'for') !== undefined,
    operations: entry(mapping, 'operations') !== undefined,
    allKeys: entry(mapping, 'allKeys') !== undefined && fields.allKeys !== false,
    [entry(mapping, 'until') === undefined ? 'background' : 'until']: isBackground,
  };
  const ends = Object.keys(isGiven).filter((key) => isGiven[key]);
  if (ends.length > 1) {
    const last = under(path, ends.at(-1) as string);
    findings.of(
      last,
      `a stage has one end, and here are ${ends.length}: ${ends.join(', ')}; keep one of them`,
    );
  }
  if (isBackground) checkBackground(fields, mapping, path, findings);
  if (isBackground) return { kind: 'background', until: fields.until ?? null };
  if (ends[0] === 'allKeys') return { kind: 'keys' };
  if (fields.operations !== undefined) return { kind: 'operations', operations: fields.operations };
  if (fields.preset === 'redis-benchmark' && ends.length === 0)
    return { kind: 'operations', operations: REDIS_BENCHMARK_OPERATIONS };
  if (entry(mapping, 'limit') !== undefined && ends[0] !== 'operations')
    findings.of(
      under(path, 'limit'),
      'belongs to stages that end by operations or keys; this one ends by time',
    );
  return { kind: 'duration', durationMs: fields.for ?? DEFAULT_FOR_MS[kind] };
}

/** What a stage cannot say that runs until another has closed. */
function checkBackground(
  fields: Fields<typeof MeasureShape>,
  mapping: SourceMapping | null,
  path: string,
  findings: Findings,
): void {
  const refuse = (key: string, why: string) => {
    if (entry(mapping, key) !== undefined) findings.of(under(path, key), why);
  };
  if (fields.background === false)
    refuse(
      'until',
      'stands beside `background: false`, and only a background stage waits for another; leave one of them out',
    );
  refuse(
    'limit',
    'belongs to stages that end by operations or keys; this one runs until another stage has closed',
  );
  refuse('stopWhen', 'a background stage runs until another stage has closed, and ends no sooner');
  if (fields.preset === 'redis-benchmark')
    refuse(
      'preset',
      'redis-benchmark is a suite of stages, one after the other; it cannot run in the background',
    );
}
