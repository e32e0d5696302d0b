import { nearest, STAGE_KINDS } from '@pacecar/protocol';
import { readAct, type WrittenAct } from './acts.js';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { describeNode, type Reader } from './reader.js';
import type { Services } from './services.js';
import type { SourceNode } from './source-tree.js';
import { readBody, type WrittenStage } from './stage-source.js';
import { ACT_WORDS, LONE_WORDS } from './written/service.js';

/** An entry of `stages`: one that sends load, or one that does something else. */
export type WrittenStep = WrittenStage | WrittenAct;

export function isAct(step: { readonly kind: WrittenStep['kind'] }): step is WrittenAct {
  return step.kind === 'service' || step.kind === 'wait';
}

/** What an entry begins with. */
export const STAGE_WORDS = [...STAGE_KINDS, ...ACT_WORDS] as const;
/** Those that may stand alone. */
const ALONE: readonly string[] = [...STAGE_KINDS, ...LONE_WORDS];
type StageWord = (typeof STAGE_WORDS)[number];

/** One entry of `stages`, which may stand for several; none if it cannot be read, which has then been said. */
export function readEntry(
  node: SourceNode,
  path: string,
  reader: Reader,
  services: Services,
): readonly WrittenStep[] {
  reader.findings.place(path, node.at);
  const forms = `allowed: ${STAGE_WORDS.join(', ')}, alone or with a mapping, as in \`- measure: { for: 10s }\``;
  if (node.kind === 'scalar') {
    const word = STAGE_WORDS.find((candidate) => candidate === node.text);
    if (word !== undefined && ALONE.includes(word)) return readWord(word, null, path, reader, services);
    const near = word === undefined ? nearest(node.text, STAGE_WORDS) : null;
    reader.findings.at(
      node.at,
      path,
      word === undefined
        ? (node.text === '' ? 'an empty stage' : `${shown(node.text)} is no stage`) +
            `${near === null ? '' : `; did you mean ${near}?`}; ${forms}`
        : `${word} says more than its name: ${word === 'wait' ? '`- wait: 10s`' : '`- fault: { do: kill, role: master, index: 0 }`'}`,
    );
    return [];
  }
  if (node.kind !== 'mapping') {
    reader.findings.at(node.at, path, `expected a stage, found ${describeNode(node)}; ${forms}`);
    return [];
  }
  const words = node.entries.filter(({ key }) => STAGE_WORDS.some((word) => word === key));
  if (words.length === 0 && node.entries.length !== 1) {
    reader.findings.at(node.at, path, `does not say what kind of stage it is; ${forms}`);
    return [];
  }
  reader.known(STAGE_WORDS, node, path, (key) =>
    words.length > 0 ? `indent it below ${shown(words[0]?.key ?? key)} if it belongs to that stage` : null,
  );
  const [first, second] = words;
  if (first === undefined) return [];
  if (second !== undefined)
    reader.findings.at(
      second.keyAt,
      under(path, second.key),
      `two stages in one entry, ${first.key} and ${second.key}; begin each with a dash of its own`,
    );
  const word = STAGE_WORDS.find((candidate) => candidate === first.key) as StageWord;
  return readWord(word, first.value, under(path, word), reader, services);
}

function readWord(
  word: StageWord,
  node: SourceNode | null,
  path: string,
  reader: Reader,
  services: Services,
): readonly WrittenStep[] {
  const kind = STAGE_KINDS.find((candidate) => candidate === word);
  if (kind !== undefined) return readBody(kind, node, path, reader);
  const act = readAct(word as Exclude<StageWord, (typeof STAGE_KINDS)[number]>, node, path, reader, services);
  return act === null ? [] : [act];
}

/** The names of all stages: those given, the others by what they begin with, numbered where there are several. */
export function nameStages(steps: readonly WrittenStep[], findings: Findings): string[] {
  const wordOf = (step: WrittenStep): string => (isAct(step) ? step.word : step.kind);
  const names = steps.map((step) => {
    if (step.name !== null) return step.name;
    const word = wordOf(step);
    const same = steps.filter((other) => wordOf(other) === word && other.name === null);
    return same.length === 1 ? word : `${word}-${same.indexOf(step) + 1}`;
  });
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return;
    const { path } = steps[index] as WrittenStep;
    findings.of(
      `${path}.name`,
      `the name ${shown(name)} is taken by ${steps[first]?.path}; each stage has its own`,
    );
  });
  return names;
}
