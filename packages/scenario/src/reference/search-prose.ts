/** What the reference says of stages that objectives decide. */

export const SEARCHES = `A measure stage with \`search\` finds the highest rate of all workers together at which its objectives hold:

\`\`\`yaml
- measure:
    mix: { get: 80, put: 20 }
    search: { objective: get.p99 < 5ms, rate: 1000/s..1M/s }
\`\`\`

It runs the stage once for each rate that it tries, a probe: from the lowest on, each a factor above the one before until
one does not hold, then between the two, in equal ratios, down to the precision. The lowest rate that did not hold is tried
again, lest a hiccup caps the answer, and the rate that is left is confirmed by further probes; one that fails then is the
new upper end, and the search goes on below it.

A rate holds when every objective is met, when what was sent is within 1 % of what was asked (or chance, for Poisson
arrivals), when nothing was dropped in mid-probe, when at most 1 % of the operations were late, and when failures are within
\`errorBudget\`. Otherwise the report says which of them it was and, where the rate was not reached, whether an engine thread
or the operations in flight stood at their limit, or the generator itself was late (then the machine of the workers was too
busy, and the answer says little of the target; a larger \`lateAfter\` bears more). Latencies are response times of what was due after the probe had settled,
up to the end of its drain, merged over all workers.

Several workloads may run beside each other; the search is of the one that says no rate of its own. Each cell of a sweep and
each repetition searches by itself. A probe in which a worker was lost counts for nothing and is made again.`;

export const SEARCH_ENDS = `A search ends with one of four answers: the rate that was found; at least the upper end of the range, which holds as well; none,
as not even the lower end holds; or unsettled, when the probes were used up before a rate was confirmed. With the last two
the run fails (exit 1). The stage stands in the report with the figures of the last probe that confirmed the rate; the
objectives of the run judge that one. No other probe degrades the verdict by being late, short of its rate or slow, but
nothing may be lost in counting in any of them.`;

export const ENDING_EARLY = `\`stopWhen\` ends a measure stage or a warm-up before its time when an objective comes true: \`stopWhen: get.p99 > 5ms\`, a list of
which one suffices, or a mapping. Judged are whole intervals, each merged once every worker that still runs has sent it. The
workers drain then, and the run goes on: it is a normal end, and the report says which objective it was, with its figure. An
interval without any operation says nothing of a latency or a share, and 0 of a throughput.`;
