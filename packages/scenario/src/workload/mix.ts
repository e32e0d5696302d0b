import { type Action, LIMITS, OPERATIONS, type Operation } from '@pacecar/protocol';
import { type Findings, under } from '../findings.js';
import { describeNode, entry, type Reader } from '../reader.js';
import type { SourceMapping, SourceNode } from '../source-tree.js';
import { PLAIN_OPERATIONS } from '../written/mix.js';
import { readListed, readMapped, type WrittenAction } from './action.js';
import type { LayerDraft, Mix } from './layer.js';
import { sharesProblem } from './share-sum.js';

const HOLDS = {
  random: 'operations and weights such as { get: 80, put: 20 }',
  ratio: 'operations and turns such as { put: 1, get: 10 }',
};

/** Reads `mix` or `ratio` of a workload into its layer. */
export function readMix(
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
  draft: LayerDraft,
): void {
  const mix = entry(mapping, 'mix')?.value;
  const ratio = entry(mapping, 'ratio')?.value;
  if (mix !== undefined && ratio !== undefined)
    reader.findings.of(
      under(path, 'ratio'),
      'stands beside `mix`; operations are drawn by weight or take turns, so leave one of them out',
    );
  if (mix !== undefined)
    draft.set('mix', under(path, 'mix'), readMode(mix, under(path, 'mix'), 'random', reader) ?? undefined);
  else if (ratio !== undefined)
    draft.set(
      'mix',
      under(path, 'ratio'),
      readMode(ratio, under(path, 'ratio'), 'ratio', reader) ?? undefined,
    );
}

function readMode(node: SourceNode, path: string, mode: Mix['mode'], reader: Reader): Mix | null {
  const before = reader.findings.count;
  const written =
    node.kind === 'list' ? readList(node.items, path, mode, reader) : readMapping(node, path, mode, reader);
  if (written === null || reader.findings.count > before) return null;
  if (written.length === 0) {
    reader.findings.of(path, `names no operation; allowed: ${OPERATIONS.join(', ')}, each with a weight`);
    return null;
  }
  if (written.length > LIMITS.actionsPerMix)
    reader.findings.of(path, `has ${written.length} operations; allowed: at most ${LIMITS.actionsPerMix}`);
  const problem = sharesProblem(written.map(({ share }) => share));
  if (problem !== null) reader.findings.of(path, problem);
  return { mode, actions: named(written, reader.findings) };
}

function readMapping(
  node: SourceNode,
  path: string,
  mode: Mix['mode'],
  reader: Reader,
): WrittenAction[] | null {
  const mapping = reader.mapping(node, path, HOLDS[mode]);
  if (mapping === null) return null;
  reader.known(PLAIN_OPERATIONS, mapping, path, (key) =>
    key === 'command' || key === 'transaction'
      ? `commands stand in a list: ${path.split('.').at(-1)}: [{ ${key}: ... }]`
      : null,
  );
  const written = mapping.entries.flatMap(({ key, value }) => {
    const operation = PLAIN_OPERATIONS.find((candidate) => candidate === key);
    if (operation === undefined) return [];
    return readMapped(operation, value, under(path, key), mode, reader) ?? [];
  });
  if (mode === 'ratio') return written;
  // In the order of OPERATIONS, so that the order of writing changes no random stream.
  const order = (operation: Operation) => OPERATIONS.indexOf(operation);
  return written.sort((a, b) => order(a.action.operation) - order(b.action.operation));
}

function readList(
  items: readonly SourceNode[],
  path: string,
  mode: Mix['mode'],
  reader: Reader,
): WrittenAction[] {
  return items.flatMap((item, index) => {
    const place = under(path, index);
    reader.findings.place(place, item.at);
    if (item.kind !== 'mapping') {
      reader.findings.at(
        item.at,
        place,
        `expected an operation with its weight such as { get: 80 }, found ${describeNode(item)}`,
      );
      return [];
    }
    return readListed(item, place, mode, reader) ?? [];
  });
}

/** Gives each action its name. A name that nobody wrote is numbered where it stands twice. */
function named(written: readonly WrittenAction[], findings: Findings): Action[] {
  const taken = new Map<string, string>();
  for (const { action, given, path } of written) {
    if (!given) continue;
    const other = taken.get(action.name);
    if (action.name === 'total')
      findings.of(path, 'the name total is taken: it stands for all operations together');
    else if (other !== undefined)
      findings.of(path, `the name ${action.name} is taken by ${other}; each has a name of its own`);
    taken.set(action.name, path);
  }
  return written.map(({ action, given, path }) => {
    if (given) return action;
    let name = action.name;
    for (let number = 2; taken.has(name); number++) name = `${action.name}-${number}`;
    if (name !== action.name && action.operation !== 'command' && action.operation !== 'transaction')
      findings.of(path, `${action.operation} stands here several times; give each a name: \`name: ...\``);
    taken.set(name, path);
    return { ...action, name };
  });
}
