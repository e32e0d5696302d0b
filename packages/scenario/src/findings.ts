import type { Problem } from './problem.js';
import type { Offset } from './source-tree.js';

interface Finding {
  readonly at: Offset;
  readonly path: string;
  readonly message: string;
  readonly code: Problem['code'];
}

/** `stages[2]` + `mix` -> `stages[2].mix`; names that are no plain words stand in quotes. */
export function under(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Collects what is wrong, so that everything can be said at once. */
export class Findings {
  readonly #found = new Map<string, Finding>();
  readonly #flags: Problem[] = [];
  readonly #places: Map<string, Offset>;

  constructor(places: Map<string, Offset> = new Map()) {
    this.#places = places;
  }

  /** Remembers where a path stands, for problems that are found later. */
  place(path: string, at: Offset): void {
    this.#places.set(path, at);
  }

  /** A problem at a known place. */
  at(at: Offset, path: string, message: string, code: Problem['code'] = 'REQUEST_INVALID'): void {
    this.#found.set(`${at} ${path} ${message}`, { at, path, message, code });
  }

  /** A problem of what the path names, or of the nearest thing around it that is written. */
  of(path: string, message: string, code: Problem['code'] = 'REQUEST_INVALID'): void {
    this.at(this.#placeOf(path), path, message, code);
  }

  /** A problem of a flag, which has no line. */
  flag(flag: string, message: string): void {
    this.#flags.push({ file: flag, line: 0, column: 0, path: '', message, code: 'REQUEST_INVALID' });
  }

  /** A collector for one sweep point, on the same places. */
  child(): Findings {
    return new Findings(this.#places);
  }

  /** Takes over what the points of a sweep found; what only some of them found says which. */
  merge(points: readonly { readonly label: string; readonly findings: Findings }[]): void {
    for (const { label, findings } of points) {
      for (const [key, finding] of findings.#found) {
        if (points.every((point) => point.findings.#found.has(key))) this.#found.set(key, finding);
        else this.at(finding.at, finding.path, `${finding.message} (at ${label})`, finding.code);
      }
    }
  }

  /** How many there are; whoever reads a part can tell from it whether the part is right. */
  get count(): number {
    return this.#found.size + this.#flags.length;
  }

  get empty(): boolean {
    return this.#found.size === 0 && this.#flags.length === 0;
  }

  /** All problems, flags first, then by position. */
  problems(file: string, position: (at: Offset) => { line: number; column: number }): Problem[] {
    const sorted = [...this.#found.values()].sort(
      (a, b) => a.at - b.at || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
    );
    return [
      ...this.#flags,
      ...sorted.map(({ at, path, message, code }) => ({ file, ...position(at), path, message, code })),
    ];
  }

  #placeOf(path: string): Offset {
    for (
      let rest = path;
      rest !== '';
      rest = rest.slice(0, Math.max(rest.lastIndexOf('.'), rest.lastIndexOf('['), 0))
    ) {
      const at = this.#places.get(rest);
      if (at !== undefined) return at;
    }
    return this.#places.get('') ?? 0;
  }
}
