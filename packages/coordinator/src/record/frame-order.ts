import type { FileHandle } from 'node:fs/promises';
import { decodeFrame, type Frame } from '@pacecar/protocol';
import { type FrameLocation, readFrameAt } from './frame-log.js';

/** The frames of one stage that are still to come, the last one first. */
interface Waiting {
  readonly startAtMs: number;
  readonly locations: FrameLocation[];
}

interface Open extends Waiting {
  next: Frame;
}

/**
 * The frames of a worker in the order of their starts, those of stages beside each other mixed. One decoded frame is held
 * for each stage that is under way, however many there are in all. `startAtMs`: of the stage that a frame is of.
 */
export async function* framesInOrder(
  file: FileHandle,
  index: readonly FrameLocation[],
  startAtMs: (location: FrameLocation) => number,
): AsyncGenerator<Frame> {
  const waiting = stagesOf(index, startAtMs);
  const open: Open[] = [];
  for (;;) {
    let first = firstOf(open);
    for (let stage = waiting[0]; stage !== undefined; stage = waiting[0]) {
      if (first !== null && beginsMs(first) < stage.startAtMs) break;
      waiting.shift();
      const next = await nextOf(file, stage);
      if (next !== null) open.push({ ...stage, next });
      first = firstOf(open);
    }
    if (first === null) return;
    yield first.next;
    const next = await nextOf(file, first);
    if (next === null) open.splice(open.indexOf(first), 1);
    else first.next = next;
  }
}

function stagesOf(
  index: readonly FrameLocation[],
  startAtMs: (location: FrameLocation) => number,
): Waiting[] {
  const stages = new Map<string, Waiting>();
  for (const location of index) {
    const key = `${location.cell}/${location.stage}`;
    const stage = stages.get(key) ?? { startAtMs: startAtMs(location), locations: [] };
    stage.locations.push(location);
    stages.set(key, stage);
  }
  // After a cut connection frames may stand out of order in the log.
  for (const { locations } of stages.values()) locations.sort((a, b) => b.sequence - a.sequence);
  return [...stages.values()].sort((a, b) => a.startAtMs - b.startAtMs);
}

async function nextOf(file: FileHandle, { locations }: Waiting): Promise<Frame | null> {
  const location = locations.pop();
  return location === undefined ? null : decodeFrame(await readFrameAt(file, location));
}

const beginsMs = ({ startAtMs, next }: Open): number => startAtMs + next.startNs / 1e6;

function firstOf(open: readonly Open[]): Open | null {
  return open.reduce<Open | null>(
    (first, stage) => (first === null || beginsMs(stage) < beginsMs(first) ? stage : first),
    null,
  );
}
