import { nearest } from '@pacecar/protocol';
import type { Findings } from './findings.js';
import { under } from './findings.js';
import { shown } from './quantity/decimal.js';
import type { SourceMapping, SourceScalar } from './source-tree.js';

/** Where a piece of an expanded text comes from: a password may come from anywhere but the file. */
export type Origin =
  | { readonly kind: 'file'; readonly scalar: SourceScalar }
  | { readonly kind: 'set'; readonly name: string }
  | { readonly kind: 'env'; readonly name: string };

export interface Span {
  readonly text: string;
  readonly origin: Origin;
}

/** A text with every `${...}` replaced. */
export interface Expanded {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** The values of one sweep point, by property. */
export type Point = ReadonlyMap<string, Expanded>;

export interface PropertySources {
  readonly text: string;
  readonly declared: SourceMapping | null;
  /** Names that the sweep gives values to. */
  readonly swept: ReadonlySet<string>;
  readonly set: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const ENVIRONMENT_NAME = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/;
const EXPRESSION = /\$\$\{|\$\{([^{}\n]*)\}|\$\{/g;
/** An expansion doubles with each level of properties in properties; this ends it. */
const LONGEST_EXPANSION = 100_000;

/** Replaces `${name}`, `${name:default}` and `${env.NAME}`; `$${` stands for a plain `${`. */
export class Properties {
  readonly #sources: PropertySources;
  readonly #declared = new Map<string, SourceScalar>();
  /** Every name that an expression used. */
  readonly uses = new Set<string>();
  /** Properties already expanded, at each point: one that uses another twice must not expand it twice. */
  readonly #known = new Map<Point | null, Map<string, Expanded | null>>();

  constructor(sources: PropertySources, findings: Findings) {
    this.#sources = sources;
    for (const { key, keyAt, value } of sources.declared?.entries ?? []) {
      const path = under('properties', key);
      findings.place(path, value.at);
      if (!PROPERTY_NAME.test(key))
        findings.at(
          keyAt,
          path,
          `${shown(key)} is no name of a property; letters, digits, _ and - are allowed`,
        );
      else if (value.kind !== 'scalar')
        findings.at(value.at, path, 'a property is one text or number, no list or mapping');
      else this.#declared.set(key, value);
    }
  }

  /** Names that have a value, for suggestions. */
  get names(): string[] {
    return [
      ...new Set([...this.#declared.keys(), ...this.#sources.swept, ...Object.keys(this.#sources.set)]),
    ];
  }

  get declaredNames(): string[] {
    return [...this.#declared.keys()];
  }

  get sweptNames(): string[] {
    return [...this.#sources.swept];
  }

  /**
   * The text of a scalar at one sweep point; `point` null where no sweep may reach. Null if something is missing,
   * which has then been said.
   */
  expand(scalar: SourceScalar, path: string, point: Point | null, findings: Findings): Expanded | null {
    return this.#expand(scalar, path, point, findings, []);
  }

  #expand(
    scalar: SourceScalar,
    path: string,
    point: Point | null,
    findings: Findings,
    open: readonly string[],
  ): Expanded | null {
    if (!scalar.text.includes('${')) return literal(scalar.text, scalar);
    const spans: Span[] = [];
    let failed = false;
    let last = 0;
    const fail = (expression: string, message: string) => {
      const at = this.#sources.text.indexOf(expression, scalar.at);
      findings.at(at === -1 || at > scalar.end ? scalar.at : at, path, message);
      failed = true;
    };
    for (const match of scalar.text.matchAll(EXPRESSION)) {
      spans.push({ text: scalar.text.slice(last, match.index), origin: { kind: 'file', scalar } });
      last = match.index + match[0].length;
      if (match[0] === '$${') spans.push({ text: '${', origin: { kind: 'file', scalar } });
      else if (match[1] === undefined)
        fail('${', '`${` has no `}` after it on the same line; for a plain `${` write `$${`');
      else {
        const value = this.#value(match[1], scalar, point, findings, open, (m) => fail(match[0], m));
        if (value === null) failed = true;
        else spans.push(...value.spans);
      }
    }
    spans.push({ text: scalar.text.slice(last), origin: { kind: 'file', scalar } });
    if (failed) return null;
    const text = spans.map((span) => span.text).join('');
    if (text.length > LONGEST_EXPANSION) {
      findings.at(
        scalar.at,
        path,
        `the properties in it make a text of more than ${LONGEST_EXPANSION} characters`,
      );
      return null;
    }
    return { text, spans: spans.filter((span) => span.text !== '') };
  }

  #value(
    inside: string,
    scalar: SourceScalar,
    point: Point | null,
    findings: Findings,
    open: readonly string[],
    fail: (message: string) => void,
  ): Expanded | null {
    const colon = inside.indexOf(':');
    const name = colon === -1 ? inside : inside.slice(0, colon);
    const fallback = colon === -1 ? null : literal(inside.slice(colon + 1), scalar);
    const variable = ENVIRONMENT_NAME.exec(name)?.[1];
    if (variable !== undefined) {
      const value = Object.hasOwn(this.#sources.env, variable) ? this.#sources.env[variable] : undefined;
      if (value !== undefined) return outside(value, { kind: 'env', name: variable });
      if (fallback === null)
        fail(`the environment variable ${variable} is not set; set it, or write \${${name}:default}`);
      return fallback;
    }
    if (!PROPERTY_NAME.test(name)) {
      fail(`${shown(`\${${inside}}`)} is no expression; allowed: \${name}, \${name:default}, \${env.NAME}`);
      return null;
    }
    this.uses.add(name);
    if (open.includes(name)) {
      fail(`\${${name}} leads back to itself: ${[...open, name].join(' -> ')}`);
      return null;
    }
    if (this.#sources.swept.has(name)) {
      // A sweep without a value for it has been reported where it stands.
      if (point !== null) return point.get(name) ?? null;
      fail(
        `\${${name}} is swept, and only \`workload\` and \`stages\` may differ from cell to cell; ` +
          'for other targets or settings write one configuration each',
      );
      return null;
    }
    if (Object.hasOwn(this.#sources.set, name))
      return outside(this.#sources.set[name] as string, { kind: 'set', name });
    const declared = this.#declared.get(name);
    if (declared !== undefined) return this.#property(name, declared, point, findings, open);
    if (fallback !== null) return fallback;
    const near = nearest(name, this.names);
    const known = this.names.length === 0 ? 'there are none' : `there are ${this.names.join(', ')}`;
    fail(
      `there is no property ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; ${known}; ` +
        `give it in \`properties\`, by --set ${name}=value, or a default: \${${name}:default}`,
    );
    return null;
  }

  #property(
    name: string,
    declared: SourceScalar,
    point: Point | null,
    findings: Findings,
    open: readonly string[],
  ): Expanded | null {
    const known = this.#known.get(point) ?? new Map<string, Expanded | null>();
    this.#known.set(point, known);
    const before = known.get(name);
    if (before !== undefined) return before;
    const value = this.#expand(declared, under('properties', name), point, findings, [...open, name]);
    known.set(name, value);
    return value;
  }
}

function literal(text: string, scalar: SourceScalar): Expanded {
  return { text, spans: [{ text, origin: { kind: 'file', scalar } }] };
}

function outside(text: string, origin: Origin): Expanded {
  return { text, spans: [{ text, origin }] };
}
