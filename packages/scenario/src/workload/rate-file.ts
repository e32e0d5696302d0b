import type { RatePoint, RateProfile } from '@pacecar/protocol';
import { under } from '../findings.js';
import { shown } from '../quantity/decimal.js';
import { readDuration } from '../quantity/duration.js';
import { readNumber } from '../quantity/number.js';
import { readRate } from '../quantity/rate.js';
import type { Reading } from '../quantity/reading.js';
import type { Reader } from '../reader.js';
import type { SourceNode } from '../source-tree.js';
import { RateFileShape } from '../written/model.js';

/** As the plan's. */
const MOST_POINTS = 50_000;
const SMALLEST_PER_SEC = 1e-9;
/** What is wrong is said of so many lines; the rest of a file in the wrong form says nothing new. */
const FAULTS_SHOWN = 10;

export const RATE_FILE_FORM =
  'a time and a rate per line, such as `10s,20k/s` or `10,20000` (seconds and operations per second)';

/** Reads `file: rates.csv` or `file: { path, between }`, and the file. */
export function readRateFile(node: SourceNode, path: string, reader: Reader): RateProfile | undefined {
  const fields =
    node.kind === 'mapping'
      ? reader.fields(RateFileShape, node, path)
      : { path: reader.leaf(RateFileShape.path, node, path), between: undefined };
  const name = fields.path;
  if (name === undefined) return undefined;
  const place = node.kind === 'mapping' ? under(path, 'path') : path;
  const text = reader.file(name);
  if (text === null) {
    reader.findings.of(place, `the file ${shown(name)} cannot be read; its path is relative to the scenario`);
    return undefined;
  }
  const { points, faults } = readRates(text);
  for (const { line, problem } of faults.slice(0, FAULTS_SHOWN))
    reader.findings.of(place, line === 0 ? `${name}: ${problem}` : `${name}:${line}: ${problem}`);
  if (faults.length > FAULTS_SHOWN)
    reader.findings.of(place, `${name}: ${faults.length - FAULTS_SHOWN} more lines cannot be read`);
  return faults.length > 0 ? undefined : { kind: 'points', points, between: fields.between ?? 'hold' };
}

interface Fault {
  /** From 1; 0: the file as a whole. */
  readonly line: number;
  readonly problem: string;
}

/**
 * Rates over time: lines `time,rate`, the first at 0, times rising. A time is a duration or a number of seconds, a
 * rate has a unit or is per second. A first line of words is a head; empty lines and lines with `#` are left out.
 */
export function readRates(text: string): { readonly points: RatePoint[]; readonly faults: readonly Fault[] } {
  const points: RatePoint[] = [];
  const faults: Fault[] = [];
  let headAllowed = true;
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((line, index) => {
      const trimmed = line.trim();
      if (trimmed === '' || trimmed.startsWith('#')) return;
      const cells = trimmed.split(/\s*[,;\t]\s*/);
      const isHead = headAllowed && cells.every((cell) => /^"?[A-Za-z][\w .()/-]*"?$/.test(cell));
      headAllowed = false;
      if (isHead) return;
      const point = readPoint(cells, points.at(-1)?.atMs ?? null);
      if (point.ok) points.push(point.value);
      else faults.push({ line: index + 1, problem: point.problem });
    });
  if (faults.length > 0) return { points, faults };
  if (points.length === 0) faults.push({ line: 0, problem: `has no rates; allowed: ${RATE_FILE_FORM}` });
  else if (points.length > MOST_POINTS)
    faults.push({ line: 0, problem: `has ${points.length} lines; allowed: at most ${MOST_POINTS}` });
  else if (!points.some(({ ratePerSec }) => ratePerSec > 0))
    faults.push({ line: 0, problem: 'has no rate above 0, so nothing would be sent' });
  return { points, faults };
}

function readPoint(cells: readonly string[], beforeMs: number | null): Reading<RatePoint> {
  const [time = '', rate = '', ...more] = cells;
  if (more.length > 0 || cells.length < 2)
    return {
      ok: false,
      problem: `${shown(cells.join(','))} has ${cells.length} columns; allowed: ${RATE_FILE_FORM}`,
    };
  const atMs = readTime(time);
  if (!atMs.ok) return atMs;
  const perSec = /[A-Za-z/]/.test(rate)
    ? readRate(rate, { zero: true })
    : readNumber(rate, { minimum: 0, maximum: 1e12 });
  if (!perSec.ok) return perSec;
  if (perSec.value > 0 && perSec.value < SMALLEST_PER_SEC)
    return { ok: false, problem: `${shown(rate)} is less than one operation in 31 years; write 0` };
  if (beforeMs === null && atMs.value !== 0)
    return {
      ok: false,
      problem: `the first line is at ${shown(time)}; a stage starts at 0, so the rates do as well`,
    };
  if (beforeMs !== null && atMs.value <= beforeMs)
    return { ok: false, problem: `${shown(time)} does not come after the line before it; times rise` };
  return { ok: true, value: { atMs: atMs.value, ratePerSec: perSec.value } };
}

function readTime(text: string): Reading<number> {
  if (/[A-Za-z]/.test(text)) return readDuration(text);
  const seconds = readNumber(text, { minimum: 0, maximum: 31 * 24 * 3_600 });
  return seconds.ok ? { ok: true, value: Math.round(seconds.value * 1e6) / 1e3 } : seconds;
}
