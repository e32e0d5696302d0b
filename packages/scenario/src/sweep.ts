import { LIMITS } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import type { Expanded, Point, Properties } from './properties.js';
import { shown } from './quantity/decimal.js';
import { describeNode, type Reader } from './reader.js';
import type { SourceMapping } from './source-tree.js';

/** One swept property and its values, in the order of writing. */
export interface Axis {
  readonly name: string;
  readonly values: readonly Expanded[];
}

/** Reads `sweep`. A value given by `--set` replaces the whole list. */
export function readAxes(
  mapping: SourceMapping | null,
  set: Readonly<Record<string, string>>,
  reader: Reader,
): readonly Axis[] {
  return (mapping?.entries ?? []).flatMap(({ key, value }) => {
    const path = under('sweep', key);
    reader.findings.place(path, value.at);
    if (Object.hasOwn(set, key)) {
      const text = set[key] as string;
      return [
        { name: key, values: [{ text, spans: [{ text, origin: { kind: 'set' as const, name: key } }] }] },
      ];
    }
    if (value.kind !== 'list') {
      reader.findings.at(
        value.at,
        path,
        `expected a list of values such as [1, 10, 50], found ${describeNode(value)}`,
      );
      return [];
    }
    if (value.items.length === 0)
      reader.findings.at(value.at, path, 'has no value; a sweep needs one at least');
    const seen = new Set<string>();
    const values = value.items.flatMap((item, index) => {
      const place = under(path, index);
      const expanded = reader.text(item, place, 'a value');
      if (expanded === null) return [];
      if (seen.has(expanded.text))
        reader.findings.at(item.at, place, `the value ${shown(expanded.text)} stands here twice`);
      if (expanded.text.length > 1_000) reader.findings.at(item.at, place, 'is longer than 1000 characters');
      seen.add(expanded.text);
      return [expanded];
    });
    // Without a value it would leave no cell, and so no stage to look at; that it is wrong has been said.
    return values.length === 0 ? [] : [{ name: key, values }];
  });
}

/** Every combination; the first axis turns slowest. One empty point if nothing is swept. */
export function sweepPoints(axes: readonly Axis[]): readonly Point[] {
  let points: Point[] = [new Map()];
  for (const { name, values } of axes)
    points = points.flatMap((point) => values.map((value) => new Map([...point, [name, value]])));
  return points;
}

/** How many combinations there are, without making them; saturates far above every limit. */
export function countPoints(axes: readonly Axis[]): number {
  return axes.reduce((product, { values }) => Math.min(product * values.length, Number.MAX_SAFE_INTEGER), 1);
}

/** Refuses axes that nothing uses. */
export function checkAxesUsed(axes: readonly Axis[], properties: Properties, findings: Findings): void {
  for (const { name } of axes)
    if (!properties.uses.has(name))
      findings.of(
        under('sweep', name),
        `nothing uses \${${name}}, so every cell would be the same; use it in a stage`,
      );
}

/** Whether the cells are few enough to be made at all; says so if not. */
export function checkCellCount(
  axes: readonly Axis[],
  configurations: number,
  repetitions: number,
  findings: Findings,
): boolean {
  const points = countPoints(axes);
  const cells = points * configurations * repetitions;
  if (cells <= LIMITS.cells) return true;
  findings.of(
    axes.length > 0 ? 'sweep' : 'repeat',
    `${configurations} configurations x ${points} sweep points x ${repetitions} repetitions are ${cells} cells; ` +
      `allowed: at most ${LIMITS.cells}`,
  );
  return false;
}

/** A value as a coordinate: a number where the text is one, so that charts can place it. */
export function coordinate(text: string): string | number {
  const number = Number(text);
  return text !== '' && String(number) === text && Number.isFinite(number) ? number : text;
}

export function pointLabel(point: Point): string {
  return [...point].map(([name, { text }]) => `${name} = ${text}`).join(', ');
}
