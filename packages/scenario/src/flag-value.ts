import type { Amount } from '@pacecar/protocol';
import { readAmount } from './quantity/amount.js';
import { type CountRange, readCount } from './quantity/count.js';
import { type DurationRange, readDuration } from './quantity/duration.js';
import { readRate } from './quantity/rate.js';
import { readRatio } from './quantity/ratio.js';
import { valueOf } from './quantity/reading.js';
import { readSize, type SizeRange } from './quantity/size.js';

/** The grammars of a scenario for flags of the command line. All throw REQUEST_INVALID with a whole sentence. */

/** ms. */
export const parseDuration = (text: string, range?: DurationRange): number =>
  valueOf(readDuration(text, range));
/** Exact, 0 to 2^53-1 unless told otherwise. */
export const parseCount = (text: string, range?: CountRange): number => valueOf(readCount(text, range));
/** Bytes, both ends inclusive. */
export const parseSize = (text: string): SizeRange => valueOf(readSize(text));
/** Operations per second. */
export const parseRate = (text: string): number => valueOf(readRate(text));
/** 0 to 1. */
export const parseRatio = (text: string): number => valueOf(readRatio(text));
export const parseAmount = (text: string): Amount => valueOf(readAmount(text));
