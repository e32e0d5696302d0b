import { nearest, type Stage } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import type { WrittenAct } from './acts.js';
import { isAct, type WrittenStep } from './stage-entry.js';
import type { WrittenStage } from './stage-source.js';

/** Runs beside the stages after it, until the one of this name has closed; null: until the last of the cell has. */
export interface WrittenBackground {
  readonly kind: 'background';
  readonly until: string | null;
}

/** A stage whose end is known. */
export interface EndingStage extends Omit<WrittenStage, 'end'> {
  readonly end: Stage['end'];
}

/** Finds the stage that each background waits for: a later one of the foreground. `names` are those of the stages. */
export function findBackgroundEnds(
  stages: readonly WrittenStep[],
  names: readonly string[],
  findings: Findings,
): (EndingStage | WrittenAct)[] {
  return stages.map((stage, index) => {
    if (isAct(stage)) return stage;
    const { end } = stage;
    if (end.kind !== 'background') return { ...stage, end };
    const found = untilOf(stages, names, index, end, findings);
    // What is wrong has been said.
    return { ...stage, end: { kind: 'stage', stage: found ?? (names[index] as string) } };
  });
}

function untilOf(
  stages: readonly WrittenStep[],
  names: readonly string[],
  index: number,
  { until }: WrittenBackground,
  findings: Findings,
): string | null {
  const { path } = stages[index] as WrittenStep;
  const isBackground = (position: number) => stages[position]?.end.kind === 'background';
  const later = names.filter((_, position) => position > index && !isBackground(position));
  const last = later.at(-1);
  if (last === undefined) {
    findings.of(
      under(path, until === null ? 'background' : 'until'),
      'a background stage runs beside stages that come after it, and none does; put it before the stage that it is to ' +
        'disturb',
    );
    return null;
  }
  if (until === null || later.includes(until)) return until ?? last;
  const at = names.indexOf(until);
  findings.of(
    under(path, 'until'),
    `${whyNot(until, at, index, at === -1 ? nearest(until, later) : null)}; allowed: ${later.join(', ')}`,
  );
  return null;
}

function whyNot(until: string, at: number, index: number, near: string | null): string {
  if (at === -1) return `there is no stage ${shown(until)}${near === null ? '' : `; did you mean ${near}?`}`;
  if (at === index) return `${shown(until)} is this stage itself; name a later one`;
  if (at < index) return `the stage ${shown(until)} comes before this one; name a later one`;
  return `the stage ${shown(until)} runs in the background itself; name one that does not`;
}
