import { nearest, type ServiceAction, type Stage, type StageKind } from '@pacecar/protocol';
import { under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { isNothing, type SourceNode } from './source-tree.js';
import type { Fields, Reader } from './reader.js';
import type { Services } from './services.js';
import { ACT_SHAPES, type ActWord } from './written/service.js';

/** Stands in an action for the service of the cell's target, until the cell is known. No service can have this name. */
export const OWN_SERVICE = '\u0000';

/** A stage that sends no load, as written. */
export interface WrittenAct {
  readonly word: ActWord;
  readonly kind: Extract<StageKind, 'service' | 'wait'>;
  readonly path: string;
  readonly name: string | null;
  readonly action: ServiceAction | null;
  readonly end: Extract<Stage['end'], { readonly kind: 'duration' | 'done' }>;
}

/** Reads what stands behind a word, or nothing for a word that stands alone. Null if it cannot be read. */
export function readAct(
  word: ActWord,
  node: SourceNode | null,
  path: string,
  reader: Reader,
  services: Services,
): WrittenAct | null {
  if (word === 'wait') return readWait(node, path, reader);
  const fields = readFields(word, node, path, reader);
  if (fields === null) return null;
  const service = fields.service ?? OWN_SERVICE;
  if (fields.service !== undefined && !services.names.includes(fields.service)) {
    refuseService(fields.service, node?.kind === 'scalar' ? path : under(path, 'service'), reader, services);
    return null;
  }
  const action = actionOf(word, service, fields);
  if (action === null) return null;
  return { word, kind: 'service', path, name: fields.name ?? null, action, end: { kind: 'done' } };
}

export function refuseService(name: string, path: string, reader: Reader, { names }: Services): void {
  const near = nearest(name, names);
  reader.findings.of(
    path,
    `there is no service ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; ` +
      (names.length === 0 ? 'the scenario has no `services`' : `services: ${names.join(', ')}`),
  );
}

type ActFields = Fields<(typeof ACT_SHAPES)['fault']> & Fields<(typeof ACT_SHAPES)['service-stop']>;

/** A name alone is that of the service. */
function readFields(
  word: Exclude<ActWord, 'wait'>,
  node: SourceNode | null,
  path: string,
  reader: Reader,
): ActFields | null {
  if (node === null || isNothing(node)) {
    if (word !== 'fault') return {};
    reader.findings.of(
      path,
      'does not say what it does; write for example `- fault: { do: kill, role: master, index: 0 }`',
    );
    return null;
  }
  if (node.kind === 'scalar' && word !== 'fault') {
    const service = reader.leaf(ACT_SHAPES[word].service, node, path);
    return service === undefined ? null : { service };
  }
  const mapping = reader.mapping(node, path, Object.keys(ACT_SHAPES[word]).join(', '));
  return mapping === null ? null : (reader.fields(ACT_SHAPES[word], mapping, path) as ActFields);
}

function actionOf(word: Exclude<ActWord, 'wait'>, service: string, fields: ActFields): ServiceAction | null {
  const how = fields.how ?? 'graceful';
  switch (word) {
    case 'service-start':
      return { do: 'start', service };
    case 'service-stop':
      return { do: 'stop', service, how };
    case 'service-restart':
      return { do: 'restart', service, how };
    case 'service-wait':
      return { do: 'wait', service };
    case 'clear':
      return { do: 'clear', service };
    case 'snapshot':
      return { do: 'snapshot', service };
    case 'fault': {
      const { do: fault, role = null, index = null } = fields;
      // That it is missing has been said.
      return fault === undefined ? null : { do: 'fault', service, fault, role, index };
    }
  }
}

function readWait(node: SourceNode | null, path: string, reader: Reader): WrittenAct | null {
  const act = (durationMs: number | undefined, name: string | null): WrittenAct | null =>
    durationMs === undefined
      ? null
      : { word: 'wait', kind: 'wait', path, name, action: null, end: { kind: 'duration', durationMs } };
  if (node === null || isNothing(node)) {
    reader.findings.of(path, 'does not say how long; write for example `- wait: 10s`');
    return null;
  }
  if (node.kind === 'scalar') return act(reader.leaf(ACT_SHAPES.wait.for, node, path), null);
  const mapping = reader.mapping(node, path, 'for, name');
  const fields = reader.fields(ACT_SHAPES.wait, mapping, path);
  return act(fields.for, fields.name ?? null);
}
