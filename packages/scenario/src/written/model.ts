import { z } from 'zod';
import { key, required } from '../key-doc.js';
import {
  amount,
  backOff,
  duration,
  durationOrNever,
  fraction,
  operationCountOrNever,
  rate,
  rateOrNone,
  text,
} from './scalar.js';

/** When operations start, as it is written. */

export const RampShape = {
  from: required(rate(true), { says: 'Rate at the start of the stage; 0/s is rest.', example: '0/s' }),
  to: required(rate(true), { says: 'Rate at the end of the ramp, and from then on.', example: '20k/s' }),
  over: required(duration(1), { says: 'How long the ramp takes.', example: '1m' }),
};

export const StepShape = {
  rate: required(rate(true), { says: 'Rate of the step; 0/s is rest.', example: '5k/s' }),
  for: required(duration(1), { says: 'Its length. The last step goes on.', example: '30s' }),
};

export const SineShape = {
  mean: required(rate(false), { says: 'Rate in the middle of the wave.', example: '1000/s' }),
  amplitude: required(rate(true), {
    says: 'How far the rate rises above it and falls below it; at most the mean.',
    example: '500/s',
  }),
  period: required(duration(1), { says: 'Length of a wave.', example: '1m' }),
  phase: key(fraction(), {
    says: 'Where in the wave the stage starts, in periods: 0 rises through the mean, 0.25 is the crest.',
    fallback: '0',
    example: '0.25',
  }),
};

export const RateFileShape = {
  path: required(text(4_000), { says: 'The file, relative to the scenario.', example: 'rates.csv' }),
  between: key(z.enum(['hold', 'linear']), {
    says: 'hold: a rate lasts until the next line. linear: straight lines between them.',
    fallback: 'hold',
    example: 'linear',
  }),
};

export const RateShapes = {
  ramp: key(z.strictObject(RampShape), {
    says: 'From one rate to another in a straight line; then that one goes on.',
    example: '{ from: 0/s, to: 20k/s, over: 1m }',
  }),
  steps: key(z.array(z.strictObject(StepShape)), {
    says: 'One rate after the other; the last one goes on.',
    example: '[{ rate: 1k/s, for: 10s }, { rate: 2k/s, for: 10s }]',
  }),
  sine: key(z.strictObject(SineShape), {
    says: 'mean + amplitude x sin(2 pi (time / period + phase)).',
    example: '{ mean: 1000/s, amplitude: 500/s, period: 1m }',
  }),
  file: key(z.union([text(4_000), z.strictObject(RateFileShape)]), {
    says: 'A recorded rate, replayed: a CSV file of times and rates.',
    example: 'rates.csv',
  }),
};

export const StaircaseShape = {
  first: required(amount(), { says: 'Connections that send from the start.', example: '1 per worker' }),
  step: required(amount(), { says: 'Connections that join them each time.', example: '1 per worker' }),
  every: required(duration(1), { says: 'How long a step lasts.', example: '10s' }),
};

export const ModelShape = {
  rate: key(z.union([rateOrNone(), z.strictObject(RateShapes)]), {
    says: 'Open model: operations start by a schedule, at this rate of all workers together, at most connections x depth in flight. A rate, or a mapping (see Rates). `none`, the closed model: a new operation starts when one ends.',
    fallback: 'none',
    example: '20000/s',
  }),
  arrivals: key(z.enum(['constant', 'poisson']), {
    says: 'Open model. constant: evenly spaced, by default. poisson: at random and independent, as of many users.',
    example: 'poisson',
  }),
  lateAfter: key(duration(0), {
    says: 'Open model. An operation that starts later than this after its due time is counted late. By default 10ms.',
    example: '1ms',
  }),
  dropAfter: key(durationOrNever(), {
    says: 'Open model. An operation that could not start for this long is dropped and counted. By default `never`: it waits.',
    example: '5s',
  }),
  thinkTime: key(duration(0), {
    says: 'Closed model. Pause between an answer and the next operation of the same slot.',
    fallback: '0s',
    example: '5ms',
  }),
  rampUp: key(duration(0), {
    says: 'Closed model. Connections begin to send one after the other, evenly over this time, instead of together.',
    fallback: '0s',
    example: '5s',
  }),
  staircase: key(z.strictObject(StaircaseShape), {
    says: 'Closed model. Connections begin to send in steps, up to all.',
    example: '{ first: 1 per worker, step: 1 per worker, every: 1s }',
  }),
  reconnectEvery: key(operationCountOrNever(), {
    says: 'Each connection is closed and opened anew after so many operations. By default only connections that were lost are.',
    fallback: 'never',
    example: '1000 operations',
  }),
  backOff: key(backOff(), {
    says: 'A connection that could not be opened anew waits: at first the shortest time, doubled each time up to the longest.',
    fallback: '10ms..1s',
    example: '100ms..5s',
  }),
};
