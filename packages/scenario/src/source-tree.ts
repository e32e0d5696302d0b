import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node as YamlNode } from 'yaml';
import { ExpressionSigns } from './expression-signs.js';
import { pastedHint } from './quantity/pasted.js';

/** Offset into the text, UTF-16 units. */
export type Offset = number;

/** A scenario's YAML as a tree that remembers where everything stands. Scalars keep their text: no number is rounded. */
export type SourceNode = SourceScalar | SourceMapping | SourceList;

export interface SourceScalar {
  readonly kind: 'scalar';
  readonly text: string;
  /** Written without quotes: `true`, `12` and `~` mean what YAML 1.2 says. Quoted, they are texts. */
  readonly plain: boolean;
  readonly at: Offset;
  /** Just past its last character. */
  readonly end: Offset;
}

export interface SourceEntry {
  readonly key: string;
  readonly keyAt: Offset;
  readonly value: SourceNode;
}

export interface SourceMapping {
  readonly kind: 'mapping';
  readonly entries: readonly SourceEntry[];
  readonly at: Offset;
}

export interface SourceList {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
  readonly at: Offset;
}

export interface SourceFault {
  readonly at: Offset;
  readonly message: string;
}

export interface Source {
  readonly root: SourceNode | null;
  readonly faults: readonly SourceFault[];
  readonly position: (at: Offset) => { line: number; column: number };
}

/** A scenario is a page of text; a quarter of a megabyte is somebody's data. */
const LONGEST_TEXT = 256 * 1024;
/** The YAML parser takes time that grows with the square of some lines; no person writes longer ones. */
const LONGEST_LINE = 5_000;
/** Aliases count each time they are used, so a "billion laughs" ends here. */
const MOST_NODES = 100_000;
const DEEPEST = 40;
/** Above this the YAML parser itself slows down and then fails; brackets in texts and comments count too. */
const MOST_OPEN_BRACKETS = 500;

/** One slip in YAML makes others appear behind it; the first ones are those to mend. */
const MOST_SYNTAX_FAULTS = 20;

export function readSource(text: string): Source {
  const position = positions(text);
  if (text.length > LONGEST_TEXT) {
    const message = `the file has ${text.length} characters; a scenario has at most ${LONGEST_TEXT}`;
    return { root: null, faults: [{ at: 0, message }], position };
  }
  const unfit = unfitFor(text);
  if (unfit !== null) return { root: null, faults: [unfit], position };
  const signs = new ExpressionSigns(text);
  const document = parseDocument(signs.hidden, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
  });
  const faults = [...document.errors, ...document.warnings].slice(0, MOST_SYNTAX_FAULTS).map((error) => ({
    at: error.pos[0],
    message: syntaxMessage(signs.shown(error.message), error.code, lineAround(text, error.pos[0])),
  }));
  if (faults.length > 0) return { root: null, faults, position };
  const builder = new TreeBuilder(signs, (alias) => (isAlias(alias) ? alias.resolve(document) : undefined));
  const root = document.contents === null ? null : builder.build(document.contents, 0);
  return { root: builder.faults.length > 0 ? null : root, faults: builder.faults, position };
}

/** What the YAML parser should not be given: it would take minutes, or overflow its stack. */
function unfitFor(text: string): SourceFault | null {
  let start = 0;
  for (const line of text.split('\n')) {
    if (line.length > LONGEST_LINE)
      return {
        at: start,
        message: `the line has ${line.length} characters; allowed: at most ${LONGEST_LINE}`,
      };
    start += line.length + 1;
  }
  const message = 'lists or mappings are nested too deep to be read';
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '{') open += 1;
    else if ((character === ']' || character === '}') && open > 0) open -= 1;
    if (open > MOST_OPEN_BRACKETS) return { at, message };
  }
  const dashes = /(?:[-?:][ \t]+){100}/.exec(text);
  return dashes === null ? null : { at: dashes.index, message };
}

/** Line and column, from 1, of an offset. */
function positions(text: string): Source['position'] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (at) => {
    const line = starts.findLastIndex((start) => start <= at);
    return { line: line + 1, column: at - (starts[line] as number) + 1 };
  };
}

function lineAround(text: string, at: Offset): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end === -1 ? text.length : end);
}

function syntaxMessage(message: string, code: string, line: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second YAML document begins here; a scenario is one document';
  const hint =
    pastedHint(line) ??
    (line.includes('\t') ? 'the line has a tab; YAML is indented with spaces only' : null) ??
    (code === 'BLOCK_AS_IMPLICIT_KEY' ? 'a text with a colon and a blank in it needs quotes' : null);
  return `not valid YAML: ${message}${hint === null ? '' : `; ${hint}`}`;
}

class TreeBuilder {
  readonly faults: SourceFault[] = [];
  readonly #signs: ExpressionSigns;
  readonly #resolve: (node: YamlNode) => YamlNode | undefined;
  /** Aliases being expanded: one inside itself would never end. */
  readonly #open = new Set<YamlNode>();
  #nodes = 0;

  constructor(signs: ExpressionSigns, resolve: (node: YamlNode) => YamlNode | undefined) {
    this.#signs = signs;
    this.#resolve = resolve;
  }

  build(node: YamlNode, depth: number): SourceNode {
    const at = node.range?.[0] ?? 0;
    this.#nodes += 1;
    if (this.#nodes === MOST_NODES + 1)
      this.#fault(at, `more than ${MOST_NODES} values, aliases (*name) counted each time they are used`);
    if (depth > DEEPEST) this.#fault(at, `nested deeper than ${DEEPEST} levels`);
    if (this.#nodes > MOST_NODES || depth > DEEPEST) return { kind: 'list', items: [], at };
    if (isAlias(node)) return this.#alias(node, at, depth);
    if (isScalar(node)) {
      const plain = node.type === 'PLAIN' || node.type === undefined;
      const raw = plain ? (node.source ?? '') : String(node.value);
      return { kind: 'scalar', text: this.#signs.shown(raw), plain, at, end: node.range?.[1] ?? at };
    }
    if (isSeq(node))
      return { kind: 'list', items: node.items.map((item) => this.build(item as YamlNode, depth + 1)), at };
    if (isMap(node))
      return { kind: 'mapping', entries: this.#entries(node.items as readonly Pair[], depth), at };
    this.#fault(at, 'a value that is no text, list or mapping');
    return { kind: 'list', items: [], at };
  }

  #alias(node: YamlNode, at: Offset, depth: number): SourceNode {
    const target = this.#resolve(node);
    if (target === undefined || this.#open.has(target)) {
      this.#fault(
        at,
        target === undefined ? 'an alias (*name) of no anchor (&name)' : 'an alias inside its own anchor',
      );
      return { kind: 'list', items: [], at };
    }
    this.#open.add(target);
    const built = this.build(target, depth + 1);
    this.#open.delete(target);
    return built;
  }

  #entries(pairs: readonly Pair[], depth: number): SourceEntry[] {
    const seen = new Map<string, Offset>();
    const entries: SourceEntry[] = [];
    for (const { key, value } of pairs) {
      const keyAt = key.range?.[0] ?? 0;
      if (!isScalar(key)) {
        this.#fault(keyAt, 'a key must be a plain word');
        continue;
      }
      const plain = key.type === 'PLAIN';
      const name = this.#signs.shown(plain ? (key.source ?? '') : String(key.value));
      if (seen.has(name)) this.#fault(keyAt, `the key "${name}" stands here twice; only one can be meant`);
      else if (name === '__proto__') this.#fault(keyAt, 'the name "__proto__" is not allowed');
      else if (name === '<<')
        this.#fault(keyAt, 'merge keys (<<) are not YAML 1.2; what stages share stands in `workload:`');
      else
        entries.push({
          key: name,
          keyAt,
          value: value === null ? emptyAt(key.range?.[1] ?? keyAt) : this.build(value, depth + 1),
        });
      seen.set(name, keyAt);
    }
    return entries;
  }

  #fault(at: Offset, message: string): void {
    this.faults.push({ at, message });
  }
}

interface Pair {
  readonly key: YamlNode;
  readonly value: YamlNode | null;
}

const emptyAt = (at: Offset): SourceScalar => ({ kind: 'scalar', text: '', plain: true, at, end: at });

/** Whether YAML means "nothing" here. */
export function isNothing(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.plain && /^(|~|null|Null|NULL)$/.test(node.text);
}

/** The value that YAML 1.2 gives a plain scalar: for settings, whose types are the driver's matter. */
export function typedScalar(text: string, plain: boolean): string | number | boolean | null {
  if (!plain) return text;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^(|~|null|Null|NULL)$/.test(text)) return null;
  if (/^[-+]?(\d+|\d*\.\d+|\d+\.)([eE][-+]?\d+)?$/.test(text)) return Number(text);
  return text;
}
