import type {
  Action,
  Keys,
  RateProfile,
  Reconnect,
  Records,
  Size,
  Stage,
  Values,
  Workload,
} from '@pacecar/protocol';
import { grouped, printable } from './columns.js';
import { meanBytes } from './data-set.js';
import { keyCount, scheduledCount, total } from './estimate.js';
import { writeAmount } from './quantity/amount.js';
import { writeDuration } from './quantity/duration.js';
import { writeRatio } from './quantity/ratio.js';

/** Parts of a workload in words. */

const percent = (ratio: number) => `${Number((ratio * 100).toPrecision(4))}%`;
/** At most three decimals: enough to tell rates apart. */
const rounded = (value: number) => {
  const text = String(Math.round(value * 1_000) / 1_000);
  const [whole = '', fraction] = text.split('.');
  return fraction === undefined ? grouped(Number(whole)) : `${grouped(Number(whole))}.${fraction}`;
};
/** Of a text that may be very long. */
const LONGEST_TEXT = 60;

export function mixText({ mix, mixMode }: Workload): string {
  if (mixMode === 'ratio')
    return `${mix.map((action) => `${actionText(action)} x ${grouped(action.weight)}`).join(', ')} in turn`;
  const weights = mix.reduce((sum, { weight }) => sum + weight, 0);
  return mix.map((action) => `${actionText(action)} ${percent(action.weight / weights)}`).join(', ');
}

function actionText(action: Action): string {
  const told: string[] = [];
  if (action.batch !== null) told.push(`${grouped(action.batch)} items`);
  if (action.timeToLiveMs !== null) told.push(`time to live ${writeDuration(action.timeToLiveMs)}`);
  if (action.range !== null)
    told.push(`${grouped(action.range.lengthBytes)} B from ${grouped(action.range.offsetBytes)} on`);
  if (action.inline) told.push('inline');
  if (action.commands.length > 0) told.push(action.commands.map(shortened).join('; '));
  if (action.name !== action.operation && action.commands.length === 0) told.unshift(action.operation);
  return printable(action.name) + (told.length === 0 ? '' : ` (${told.join(', ')})`);
}

const shortened = (text: string) =>
  printable(
    text.length <= LONGEST_TEXT
      ? text
      : `${text.slice(0, LONGEST_TEXT)}... ${grouped(text.length)} characters`,
  );

export function keysText(keys: Keys): string {
  const { minimum, maximum } = keys;
  const range =
    keys.order === 'hashed'
      ? `${printable(keys.prefix)}<hash of ${minimum} to ${maximum}>${printable(keys.suffix)}`
      : `${keyText(keys, minimum)} to ${keyText(keys, maximum)}`;
  return `${grouped(keyCount(keys))}, ${range}, ${distributionText(keys)}`;
}

function keyText(keys: Keys, number: number): string {
  return printable(keys.prefix) + String(number).padStart(keys.width, '0') + printable(keys.suffix);
}

function distributionText({ distribution, minimum }: Keys): string {
  switch (distribution.kind) {
    case 'gaussian':
      return `gaussian around ${rounded(minimum + distribution.median)} with deviation ${rounded(distribution.deviation)}`;
    case 'zipfian':
      return `zipfian with exponent ${distribution.exponent}${distribution.scrambled ? ', scrambled' : ''}`;
    case 'latest':
      return `latest, zipfian by age with exponent ${distribution.exponent}`;
    case 'hotspot':
      return `hotspot: ${writeRatio(distribution.operationsRatio)} of operations on ${writeRatio(distribution.keysRatio)} of keys`;
    case 'exponential':
      return `exponential: ${writeRatio(distribution.percentile)} of operations on ${writeRatio(distribution.keysRatio)} of keys`;
    default:
      return distribution.kind;
  }
}

export function valuesText({ size, content }: Values): string {
  const of =
    content.kind === 'printable'
      ? ''
      : content.kind === 'random'
        ? ', random bytes'
        : `, compressible to 1 / ${content.ratio}`;
  return sizeText(size) + of;
}

function sizeText(size: Size): string {
  switch (size.kind) {
    case 'fixed':
      return `${grouped(size.bytes)} B`;
    case 'uniform':
      return `${grouped(size.minimumBytes)} to ${grouped(size.maximumBytes)} B, each size equally likely, mean ${meanBytes(size)} B`;
    case 'gaussian':
      return `${grouped(size.minimumBytes)} to ${grouped(size.maximumBytes)} B, normal around ${rounded(size.medianBytes)} B with deviation ${rounded(size.deviationBytes)} B`;
    case 'weighted': {
      const weights = size.sizes.reduce((sum, { weight }) => sum + weight, 0);
      const each = size.sizes.map(({ bytes, weight }) => `${grouped(bytes)} B ${percent(weight / weights)}`);
      return `${each.join(', ')}, mean ${rounded(meanBytes(size))} B`;
    }
  }
}

export function recordsText(records: Records): string {
  const which = (all: boolean) => (all ? 'all fields' : 'one field');
  return (
    `${grouped(records.fields)} fields of ${sizeText(records.fieldSize)}; reads ask for ${which(records.readAllFields)}, ` +
    `updates write ${which(records.writeAllFields)}`
  );
}

/** The model with its rate in all and per worker, and what it comes to. */
export function modelText(workload: Workload, stage: Stage, workers: number): string {
  const { model } = workload;
  if (model.kind === 'closed') {
    const pause = model.thinkTimeMs === 0 ? '' : `, ${writeDuration(model.thinkTimeMs)} after it`;
    const { start } = model;
    const begin =
      start.kind === 'together'
        ? ''
        : start.kind === 'ramp'
          ? `; connections begin evenly over ${writeDuration(start.durationMs)}`
          : `; ${writeAmount(start.first)} connections begin, then ${writeAmount(start.step)} more every ${writeDuration(start.everyMs)}`;
    return `closed: a new operation starts when one ends${pause}${begin}`;
  }
  // Workers without a connection have no part of the schedule.
  const { connections } = workload;
  const sending = connections.scope === 'worker' ? workers : Math.min(workers, connections.count);
  const inFlight = total(connections, workers) * workload.depth;
  const dropped =
    model.dropAfterMs === null ? 'never dropped' : `dropped after ${writeDuration(model.dropAfterMs)}`;
  const searched = stage.search?.workload === workload.name;
  const count = searched ? null : scheduledCount(workload, stage, workers);
  return (
    `open: ${searched ? 'each rate of the search' : rateText(model.rate, sending)}, ${model.arrivals} arrivals, at most ` +
    `${grouped(inFlight)} in flight, late after ${writeDuration(model.lateAfterMs)}, ${dropped}` +
    (count === null ? '' : `; ${grouped(count)} operations expected`)
  );
}

/** `1,000/s`. */
export function roundedRate(perSec: number): string {
  return `${rounded(perSec)}/s`;
}

function rateText(rate: RateProfile, workers: number): string {
  const all = roundedRate;
  const each = (perSec: number) => (workers === 1 ? '' : ` (${all(perSec / workers)} per worker)`);
  const both = (perSec: number) => all(perSec) + each(perSec);
  switch (rate.kind) {
    case 'constant':
      return both(rate.ratePerSec);
    case 'ramp':
      return `${both(rate.fromPerSec)} to ${both(rate.toPerSec)} over ${writeDuration(rate.durationMs)}`;
    case 'sine':
      return `${both(rate.meanPerSec)} +- ${both(rate.amplitudePerSec)} in waves of ${writeDuration(rate.periodMs)}`;
    case 'steps':
      return listText(
        rate.steps.map((step) => `${both(step.ratePerSec)} for ${writeDuration(step.durationMs)}`),
        'steps',
      );
    case 'points': {
      const rates = rate.points.map(({ ratePerSec }) => ratePerSec);
      const least = rates.reduce((a, b) => Math.min(a, b));
      const most = rates.reduce((a, b) => Math.max(a, b));
      const last = rate.points.at(-1)?.atMs ?? 0;
      return (
        `${grouped(rates.length)} recorded rates from ${both(least)} to ${both(most)} over ${writeDuration(last)}, ` +
        (rate.between === 'hold' ? 'each held' : 'lines between them')
      );
    }
  }
}

/** More than this are counted. */
const LISTED = 6;

function listText(parts: readonly string[], what: string): string {
  if (parts.length <= LISTED) return parts.join(', then ');
  return `${parts.slice(0, LISTED).join(', then ')}, ... ${grouped(parts.length)} ${what} in all`;
}

/** null: nothing but the default. */
export function reconnectText(reconnect: Reconnect): string | null {
  const { everyOperations, firstBackOffMs, longestBackOffMs } = reconnect;
  if (everyOperations === null && firstBackOffMs === 10 && longestBackOffMs === 1_000) return null;
  const when =
    everyOperations === null
      ? 'after a loss'
      : `after a loss and every ${grouped(everyOperations)} operations`;
  return `${when}; failed attempts wait ${writeDuration(firstBackOffMs)}, at most ${writeDuration(longestBackOffMs)}`;
}
