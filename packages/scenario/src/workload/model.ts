import type { RateProfile, Workload } from '@pacecar/protocol';
import { readOnlyKey } from '../choice.js';
import { type Findings, under } from '../findings.js';
import { writeDuration } from '../quantity/duration.js';
import { entry, type Reader } from '../reader.js';
import type { SourceMapping, SourceNode } from '../source-tree.js';
import { ModelShape, RampShape, RateShapes, SineShape, StaircaseShape, StepShape } from '../written/model.js';
import { rateOrNone } from '../written/scalar.js';
import type { LayerDraft, LayerField, Layers } from './layer.js';
import { readRateFile } from './rate-file.js';

const RATE = rateOrNone();
/** More than a scenario lists by hand; recorded rates stand in a file. */
const MOST_STEPS = 10_000;

/** Reads what a workload says of its model into its layer. */
export function readModel(
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
  draft: LayerDraft,
): void {
  const fields = reader.fields(ModelShape, only(mapping), path);
  const at = (key: string) => under(path, key);
  const has = (key: string) => entry(mapping, key) !== undefined;
  const rate = entry(mapping, 'rate')?.value;
  if (rate !== undefined) draft.set('rate', at('rate'), readRate(rate, at('rate'), reader));
  if (has('arrivals')) draft.set('arrivals', at('arrivals'), fields.arrivals);
  if (has('lateAfter')) draft.set('lateAfterMs', at('lateAfter'), fields.lateAfter);
  if (has('dropAfter')) draft.set('dropAfterMs', at('dropAfter'), fields.dropAfter);
  if (has('thinkTime')) draft.set('thinkTimeMs', at('thinkTime'), fields.thinkTime);
  if (has('reconnectEvery')) draft.set('reconnectEvery', at('reconnectEvery'), fields.reconnectEvery);
  if (has('backOff')) draft.set('backOff', at('backOff'), fields.backOff);
  const staircase = entry(mapping, 'staircase')?.value;
  if (staircase !== undefined && has('rampUp'))
    reader.findings.of(
      at('staircase'),
      'stands beside `rampUp`; connections begin evenly or in steps, so leave one of them out',
    );
  if (staircase !== undefined)
    draft.set('start', at('staircase'), readStaircase(staircase, at('staircase'), reader));
  else if (has('rampUp')) {
    const { rampUp } = fields;
    const start =
      rampUp === undefined
        ? undefined
        : rampUp === 0
          ? ({ kind: 'together' } as const)
          : ({ kind: 'ramp', durationMs: rampUp } as const);
    draft.set('start', at('rampUp'), start);
  }
}

/** Only the keys of the model: the others are read elsewhere. */
function only(mapping: SourceMapping | null): SourceMapping | null {
  if (mapping === null) return null;
  return { ...mapping, entries: mapping.entries.filter(({ key }) => key in ModelShape) };
}

/** null: none, the closed model; undefined: it could not be read. */
function readRate(node: SourceNode, path: string, reader: Reader): RateProfile | null | undefined {
  if (node.kind !== 'mapping') {
    const rate = reader.leaf(RATE, node, path);
    return typeof rate === 'number' ? { kind: 'constant', ratePerSec: rate } : rate;
  }
  const names = Object.keys(RateShapes) as (keyof typeof RateShapes)[];
  const choice = readOnlyKey(node, path, names, reader);
  if (choice === null || choice.body === null) return undefined;
  switch (choice.name) {
    case 'ramp':
      return readRamp(choice.body, choice.path, reader);
    case 'steps':
      return readSteps(choice.body, choice.path, reader);
    case 'sine':
      return readSine(choice.body, choice.path, reader);
    default:
      return readRateFile(choice.body, choice.path, reader);
  }
}

function readRamp(node: SourceNode, path: string, reader: Reader): RateProfile | undefined {
  const inner = reader.mapping(node, path, Object.keys(RampShape).join(', '));
  const { from, to, over } = reader.fields(RampShape, inner, path);
  if (from === undefined || to === undefined || over === undefined) return undefined;
  if (from === 0 && to === 0) {
    reader.findings.of(path, 'a ramp from 0/s to 0/s sends nothing; one end is above 0/s');
    return undefined;
  }
  return { kind: 'ramp', fromPerSec: from, toPerSec: to, durationMs: over };
}

function readSteps(node: SourceNode, path: string, reader: Reader): RateProfile | undefined {
  const items = reader.list(node, path, 'steps such as { rate: 1k/s, for: 10s }');
  if (items.length > MOST_STEPS)
    reader.findings.of(path, `has ${items.length} steps; allowed: at most ${MOST_STEPS}`);
  const steps = items.map((item, index) => {
    const place = under(path, index);
    const inner = reader.mapping(item, place, Object.keys(StepShape).join(', '));
    const { rate, for: durationMs } = reader.fields(StepShape, inner, place);
    return rate === undefined || durationMs === undefined ? null : { ratePerSec: rate, durationMs };
  });
  const read = steps.filter((step) => step !== null);
  if (read.length < steps.length || items.length > MOST_STEPS) return undefined;
  if (!read.some(({ ratePerSec }) => ratePerSec > 0)) {
    reader.findings.of(path, 'no step has a rate above 0/s, so nothing would be sent');
    return undefined;
  }
  return { kind: 'steps', steps: read };
}

function readSine(node: SourceNode, path: string, reader: Reader): RateProfile | undefined {
  const inner = reader.mapping(node, path, Object.keys(SineShape).join(', '));
  const { mean, amplitude, period, phase = 0 } = reader.fields(SineShape, inner, path);
  if (mean === undefined || amplitude === undefined || period === undefined) return undefined;
  if (amplitude > mean) {
    reader.findings.of(
      under(path, 'amplitude'),
      `${amplitude}/s is above the mean of ${mean}/s: the rate would fall below 0; allowed: 0/s to ${mean}/s`,
    );
    return undefined;
  }
  return { kind: 'sine', meanPerSec: mean, amplitudePerSec: amplitude, periodMs: period, phase };
}

function readStaircase(node: SourceNode, path: string, reader: Reader) {
  const inner = reader.mapping(node, path, Object.keys(StaircaseShape).join(', '));
  const { first, step, every } = reader.fields(StaircaseShape, inner, path);
  if (first === undefined || step === undefined || every === undefined) return undefined;
  return { kind: 'staircase', first, step, everyMs: every } as const;
}

const OPEN_ONLY: readonly LayerField[] = ['arrivals', 'lateAfterMs', 'dropAfterMs'];
const CLOSED_ONLY: readonly LayerField[] = ['thinkTimeMs', 'start'];

/** The model of a workload, and that nothing is said of the other one. */
export function resolveModel(layers: Layers, findings: Findings): Workload['model'] {
  const { merged } = layers;
  if (merged.rate === null) {
    for (const field of OPEN_ONLY)
      if (layers.rank(field) >= 0 && layers.rank(field) > layers.rank('rate') && layers.read('rate'))
        findings.of(
          layers.pathOf(field),
          'belongs to the open model, and no `rate` is said; add one, or leave it out',
        );
    return { kind: 'closed', thinkTimeMs: merged.thinkTimeMs, start: merged.start };
  }
  for (const field of CLOSED_ONLY) {
    const idle = field === 'thinkTimeMs' ? merged.thinkTimeMs === 0 : merged.start.kind === 'together';
    if (idle) continue;
    const later = layers.rank(field) >= layers.rank('rate') ? field : 'rate';
    findings.of(
      layers.pathOf(later),
      later === 'rate'
        ? `makes the model open, and ${layers.pathOf(field)} belongs to the closed one; take one of them back: \`rate: none\``
        : `belongs to the closed model, and ${layers.pathOf('rate')} makes it open; leave it out, or write \`rate: none\``,
    );
  }
  const { lateAfterMs, dropAfterMs } = merged;
  if (dropAfterMs !== null && dropAfterMs < lateAfterMs && layers.read('lateAfterMs', 'dropAfterMs'))
    findings.of(
      layers.pathOf('dropAfterMs'),
      `${writeDuration(dropAfterMs)} is below lateAfter, ${writeDuration(lateAfterMs)}: an operation would be dropped ` +
        'before it is late',
    );
  return { kind: 'open', rate: merged.rate, arrivals: merged.arrivals, lateAfterMs, dropAfterMs };
}
