import type { Progress } from '@pacecar/coordinator';
import { formatCount, formatElapsed, formatLatency } from './figures.js';
import { type Line, lineWidth, type Piece, piece } from './line.js';

const BAR_COLUMNS = 24;
/** So many workers that the run waits for are named. */
const NAMED = 5;
const WAITING_LENGTH = 120;

/** The first ones by name. */
function listOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What a run is at, in words: `cell 2 of 6 (redis, threads 8), measure (3 of 4)`. */
export function placeOf(progress: Progress): string {
  const cell =
    progress.cell.of > 1
      ? `cell ${progress.cell.index + 1} of ${progress.cell.of} (${progress.cell.label}), `
      : '';
  if (progress.stage === null) return `${cell}${progress.state}`;
  const { name, index, of, probe } = progress.stage;
  const search = probe === null ? '' : `, probe ${probe.number} at ${formatCount(probe.ratePerSec)}/s`;
  const beside = progress.beside.length === 0 ? '' : ` beside ${listOf(progress.beside)}`;
  return `${cell}${name} (${index + 1} of ${of})${search}${beside}`;
}

/** One line for a log or a pipe. */
export function plainLine(progress: Progress): string {
  const { stage, workers } = progress;
  const parts: string[] = [];
  if (progress.state === 'joining') parts.push(waitingOf(progress) || `joining, ${workersOf(progress)}`);
  else if (progress.state === 'running' && stage !== null) {
    parts.push(extentOf(stage.elapsedMs, stage.totalMs), ...figuresOf(progress), workersOf(progress));
  } else {
    parts.push(progress.state);
    if (workers.waitingFor.length > 0) parts.push(waitingOf(progress));
    parts.push(workersOf(progress));
  }
  const place = stage === null ? '' : `${placeOf(progress)}: `;
  return `pacecar: ${formatElapsed(progress.runElapsedMs)}  ${place}${parts.join(', ')}`;
}

/**
 * The live block of a terminal: where the run is, and how it goes. `elapsedMs` is how long ago `progress` was taken;
 * `estimateMs` how long the whole run should take.
 */
export function liveBlock(
  name: string,
  progress: Progress,
  elapsedMs: number,
  estimateMs: number,
  columns: number,
): readonly Line[] {
  const { stage, workers } = progress;
  const runMs = progress.runElapsedMs + elapsedMs;
  const about = runMs < estimateMs ? ` of about ${formatElapsed(estimateMs)}` : '';
  const left: Piece[] = [piece(name, 'bold'), piece(`  ${placeOf(progress)}`)];
  const right: Piece[] = [piece(`${formatElapsed(runMs)}${about}`, 'dim')];
  const head = spread(left, right, columns);

  const crew = piece(workersOf(progress), workers.lost > 0 ? 'red' : 'plain');
  const waiting = waitingOf(progress);
  // Who has joined is a part of what the run waits for then.
  if (progress.state === 'joining') return [head, waiting === '' ? [crew] : [piece(waiting)]];
  if (progress.state !== 'running' || stage === null)
    return [head, [piece(`${progress.state}  `, 'cyan'), crew, piece(`  ${waiting}`)]];

  const stageMs = stage.elapsedMs + elapsedMs;
  const body: Piece[] = [];
  if (stage.totalMs !== null) {
    const done = Math.min(1, stageMs / stage.totalMs);
    const filled = Math.round(done * BAR_COLUMNS);
    body.push(piece('━'.repeat(filled), 'cyan'), piece('─'.repeat(BAR_COLUMNS - filled), 'dim'), piece('  '));
    body.push(piece(extentOf(Math.min(stageMs, stage.totalMs), stage.totalMs)));
  } else {
    body.push(piece(extentOf(stageMs, null)));
  }
  const figures: Piece[] = [
    piece(`${formatCount(progress.operationsPerSec)} ops/s`, 'bold'),
    piece(`  p50 ${formatLatency(progress.p50Ns)}  p99 ${formatLatency(progress.p99Ns)}  `),
    crew,
    piece(`  errors ${formatCount(progress.errors)}`, progress.errors > 0 ? 'red' : 'plain'),
  ];
  const oneLine = [...body, piece('  '), ...figures];
  return lineWidth(oneLine) <= columns ? [head, oneLine] : [head, body, figures];
}

function extentOf(elapsedMs: number, totalMs: number | null): string {
  return totalMs === null
    ? formatElapsed(elapsedMs)
    : `${formatElapsed(elapsedMs)} of ${formatElapsed(totalMs)}`;
}

function figuresOf(progress: Progress): string[] {
  return [
    `${formatCount(progress.operationsPerSec)} ops/s`,
    `p50 ${formatLatency(progress.p50Ns)}`,
    `p99 ${formatLatency(progress.p99Ns)}`,
    `${formatCount(progress.operations)} operations`,
    `errors ${formatCount(progress.errors)}`,
  ];
}

function waitingOf({ workers: { waitingFor } }: Progress): string {
  if (waitingFor.length === 0) return '';
  const named = waitingFor.slice(0, NAMED).map(shortened).join(', ');
  return `waiting for ${named}${waitingFor.length > NAMED ? ` and ${waitingFor.length - NAMED} more` : ''}`;
}

function shortened(text: string): string {
  return text.length <= WAITING_LENGTH ? text : `${text.slice(0, WAITING_LENGTH)} ...`;
}

function workersOf(progress: Progress): string {
  const { joined, of, lost } = progress.workers;
  return `${joined} of ${of} workers${lost > 0 ? ` (${lost} lost)` : ''}`;
}

/** `left ... right` over the whole width, or only `left` where both do not fit. */
function spread(left: Line, right: Line, columns: number): Line {
  const gap = columns - lineWidth(left) - lineWidth(right);
  return gap < 2 ? left : [...left, piece(' '.repeat(gap)), ...right];
}
