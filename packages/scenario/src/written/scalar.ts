import { LIMITS, NameSchema } from '@pacecar/protocol';
import { grammar } from '../key-doc.js';
import { readAmount } from '../quantity/amount.js';
import { readCount } from '../quantity/count.js';
import { shown } from '../quantity/decimal.js';
import { readDuration } from '../quantity/duration.js';
import { readDurationSpan } from '../quantity/duration-range.js';
import { readKeyRange } from '../quantity/key-range.js';
import { readKeyTemplate } from '../quantity/key-template.js';
import { readNumber } from '../quantity/number.js';
import { readOperationCount } from '../quantity/operation-count.js';
import { readRate } from '../quantity/rate.js';
import { readRatio } from '../quantity/ratio.js';
import { bad, good } from '../quantity/reading.js';
import { readBytes, readSize } from '../quantity/size.js';
import { readWeight } from '../quantity/weight.js';

/** Schemas of single values. Each call makes one of its own, so that each key can have its own documentation. */

export const DAY_MS = 24 * 3_600_000;

export const name = () =>
  grammar('a name', 'scalar', (text) => {
    if (NameSchema.safeParse(text).success) return good(text);
    return bad(`${shown(text)} is no name; 1 to ${LIMITS.nameLength} characters, without control characters`);
  });
export const text = (most: number) =>
  grammar('a text', 'scalar', (value) =>
    value.length <= most ? good(value) : bad(`${shown(value)} is longer than ${most} characters`),
  );
/** As a text, but no message repeats it. */
export const secret = () =>
  grammar('a text', 'scalar', (value) =>
    value.length <= 10_000 ? good(value) : bad('is longer than 10000 characters'),
  );
export const count = (minimum: number, maximum: number = LIMITS.count, type = 'a whole number') =>
  grammar(type, 'number', (value) => readCount(value, { minimum, maximum }));
export const duration = (minimumMs: number, maximumMs = 31 * DAY_MS) =>
  grammar('a duration such as 10s', 'text', (value) => readDuration(value, { minimumMs, maximumMs }));
export const amount = (maximum: number = LIMITS.count) =>
  grammar('an amount such as "10 per worker"', 'text', (value) => readAmount(value, { maximum }));
export const ratio = () => grammar('a share such as 0.1%', 'number', readRatio);
export const flag = () =>
  grammar('true or false', 'boolean', (value) =>
    value === 'true' || value === 'false'
      ? good(value === 'true')
      : bad(`${shown(value)} is neither true nor false`),
  );
export const size = () => grammar('a size such as 100..1000', 'number', readSize);
export const keyRange = () => grammar('a key range such as 0..99999', 'number', readKeyRange);
export const bytes = (minimum = 0) =>
  grammar('a size such as 100', 'number', (value) => readBytes(value, { minimum }));
export const keyTemplate = () => grammar('a text with __n__ in it', 'text', readKeyTemplate);
/** Above `low`, at most `high`. */
export const above = (low: number, high: number) =>
  grammar('a number such as 0.99', 'number', (value) => readNumber(value, { above: low, maximum: high }));
/** From `low` to `high`. */
export const atLeast = (low: number, high: number) =>
  grammar('a number such as 3', 'number', (value) => readNumber(value, { minimum: low, maximum: high }));
/** From 0 to below 1. */
export const fraction = () =>
  grammar('a number from 0 to below 1', 'number', (value) => readNumber(value, { minimum: 0, below: 1 }));
/** `zero`: whether 0/s is one. */
export const rate = (zero: boolean) =>
  grammar('a rate such as 20000/s', 'text', (value) => readRate(value, { zero }));
/** null: none. */
export const rateOrNone = () =>
  grammar('a rate such as 20000/s or `none`', 'text', (value) =>
    value.trim() === 'none' ? good(null) : readRate(value),
  );
/** null: never. */
export const durationOrNever = () =>
  grammar('a duration such as 5s or `never`', 'text', (value) =>
    value.trim() === 'never' ? good(null) : readDuration(value),
  );
/** null: never. */
export const operationCountOrNever = () =>
  grammar('a number such as "1000 operations" or `never`', 'text', (value) =>
    value.trim() === 'never' ? good(null) : readOperationCount(value),
  );
export const backOff = () =>
  grammar('one or two durations such as 10ms..1s', 'text', (value) =>
    readDurationSpan(value, { minimumMs: 1 }),
  );
/** Whole turns, in the shape of a weight. */
export const turns = () =>
  grammar('a number of turns such as 10', 'number', (value) => {
    const turn = readCount(value, { minimum: 1, maximum: 1_000_000_000 });
    return turn.ok ? good({ weight: turn.value, percent: false }) : turn;
  });

export const weight = () => grammar('a weight such as 80 or 80%', 'number', readWeight);
