import { type Event, isBackground, type Plan, type Stage } from '@pacecar/protocol';

interface Closed {
  readonly cell: number;
  readonly stage: number;
}

/**
 * What is wrong with the order of a run's stages, or null. A foreground stage closes before the next stage arms, a
 * background stage only after the one that it waits for and before whatever follows that one.
 */
export function stageDisorder(plan: Plan, events: readonly Event[]): string | null {
  const open: Closed[] = [];
  const closed: Closed[] = [];
  const stageAt = ({ cell, stage }: Closed): Stage => plan.cells[cell]?.stages[stage] as Stage;
  const name = (at: Closed): string => `${at.cell}/${at.stage}`;
  const hasClosed = (cell: number, wanted: string): boolean =>
    closed.some((at) => at.cell === cell && stageAt(at).name === wanted);
  for (const event of events) {
    if (event.type === 'stage-arming') {
      for (const at of open) {
        const { end } = stageAt(at);
        if (end.kind !== 'stage' || at.cell !== event.cell)
          return `${name(event)} was armed before ${name(at)} had closed`;
        if (hasClosed(at.cell, end.stage))
          return `${name(event)} was armed and background ${name(at)} had not closed after ${end.stage}`;
      }
      open.push({ cell: event.cell, stage: event.stage });
    } else if (event.type === 'stage-closed') {
      const at = open.findIndex(({ cell, stage }) => cell === event.cell && stage === event.stage);
      if (at === -1) return `${name(event)} has closed without having been open`;
      open.splice(at, 1);
      const { end } = stageAt(event);
      const early = end.kind === 'stage' && !hasClosed(event.cell, end.stage);
      if (early && (event.outcome === 'complete' || event.outcome === 'partial'))
        return `background ${name(event)} has closed, ${event.outcome}, before ${end.stage} had`;
      closed.push({ cell: event.cell, stage: event.stage });
    }
  }
  return null;
}

/** The load of a background stage has begun when that of the next stage does, and goes on until it ends. */
export function isBeside(plan: Plan, background: Closed, other: Closed): boolean {
  const { stages } = plan.cells[background.cell] as Plan['cells'][number];
  const { end } = stages[background.stage] as Stage;
  if (end.kind !== 'stage' || background.cell !== other.cell) return false;
  const last = stages.findIndex((stage) => stage.name === end.stage);
  const beside = stages[other.stage] as Stage;
  return !isBackground(beside) && other.stage > background.stage && other.stage <= last;
}
