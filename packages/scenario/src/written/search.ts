import { MOST_PROBES } from '@pacecar/protocol';
import { z } from 'zod';
import { grammar, key, required } from '../key-doc.js';
import { readObjective } from '../quantity/objective.js';
import { readRateRange } from '../quantity/rate-range.js';
import { readVote } from '../quantity/vote.js';
import { atLeast, count, duration, ratio } from './scalar.js';

/** What depends on objectives while a stage runs, as it is written. */

export const objective = () => grammar('an objective such as get.p99 < 5ms', 'text', readObjective);
const objectives = () => z.union([objective(), z.array(objective())]);

export const SearchShape = {
  objective: required(objectives(), {
    says: 'A rate holds when this is met; of a list, when all are. Response times count, over all workers.',
    example: 'get.p99 < 5ms',
  }),
  rate: required(
    grammar('a range of rates such as 1000/s..1M/s', 'text', (value) => readRateRange(value)),
    {
      says: 'The lowest and the highest rate of all workers together that is tried.',
      example: '1000/s..1M/s',
    },
  ),
  probe: key(duration(1), { says: 'How long a rate is tried.', fallback: '5s', example: '10s' }),
  settle: key(duration(0), {
    says: 'The beginning of a probe, which is not judged; up to a whole interval.',
    fallback: '1s',
    example: '2s',
  }),
  precision: key(ratio(), {
    says: 'The search has closed in when the lowest rate that does not hold is at most so much higher than the highest that does; 0.1% to 100%.',
    fallback: '2%',
    example: '5%',
  }),
  confirm: key(
    grammar('a vote such as 2 of 3', 'text', (value) => readVote(value)),
    {
      says: 'The rate that was found holds in so many of so many further probes; otherwise the search goes on below it.',
      fallback: '2 of 3',
      example: '3 of 5',
    },
  ),
  growth: key(atLeast(1.1, 100), {
    says: 'From the lowest rate on, each is so many times the one before until one does not hold.',
    fallback: '2',
    example: '4',
  }),
  mostProbes: key(count(3, MOST_PROBES, 'a number of probes'), {
    says: 'At most so many; the last ones are kept to confirm what there is.',
    fallback: '40',
    example: '20',
  }),
};

export const StopShape = {
  any: required(objectives(), {
    says: 'The stage ends early when this comes true; of a list, when one does.',
    example: '[get.p99 > 5ms, total.errors > 1%]',
  }),
  for: key(duration(0), {
    says: 'It has to be true for so long without a break; 0s: in one interval.',
    fallback: '0s',
    example: '3s',
  }),
  operations: key(count(1, undefined, 'a number of operations'), {
    says: 'Intervals with fewer operations to judge by are joined to the next ones until there are so many. A throughput is judged in every interval.',
    fallback: '100',
    example: '1000',
  }),
  after: key(duration(0), {
    says: 'What was before this time of the stage is not judged.',
    fallback: '0s',
    example: '5s',
  }),
};

export const StopSchema = z.union([objective(), z.array(objective()), z.strictObject(StopShape)]);
