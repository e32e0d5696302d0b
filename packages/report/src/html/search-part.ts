import type { Probe, SearchSummary, StageSummary } from '../summary/schema.js';
import { formatObjective } from '../text/objective-text.js';
import { exactRate, objectiveHead, searchAnswer, whyNot } from '../text/search-text.js';
import { unbroken } from '../text/width.js';
import { formatDuration, formatLatency, formatRate, plural } from '../units.js';
import { scrollingTable, textHead } from './figure-table.js';
import { type Markup, markup } from './markup.js';

/** The answer of a search, latency against rate, and the way to it; null for a stage without one. */
export function searchPart({ name, search }: StageSummary): Markup | null {
  if (search === null) return null;
  const { word, text, tone } = searchAnswer(search);
  const made = `${plural(search.probes.length, 'probe')}${search.totalMs === null ? '' : ` in ${formatDuration(search.totalMs)}`}`;
  const follows = search.result === null ? '' : `; the figures below are those of probe ${search.result}`;
  return markup`<ul class="objectives"><li><span class="tag ${tone}">${word.toLowerCase()}</span> <b>${unbroken(text)}</b></li></ul>
${latencyByRate(search)}
<details open><summary>The way of the search</summary>${pathTable(name, search)}</details>
<p class="note">${made}${follows}</p>`;
}

function pathTable(name: string, { probes }: SearchSummary): Markup {
  const objectives = probes.find((probe) => probe.objectives.length > 0)?.objectives ?? [];
  return scrollingTable(
    `Probes of ${name}`,
    [
      'probe',
      textHead('step'),
      'asked/s',
      'sent/s',
      ...objectives.map(objectiveHead),
      textHead('held'),
      textHead('why not'),
    ],
    probes.map((probe) => {
      const figures = objectives.map((_, index) => {
        const objective = probe.objectives[index];
        return objective === undefined
          ? markup`<td>-</td>`
          : markup`<td class="${objective.met ? null : 'bad'}">${formatObjective(objective)}</td>`;
      });
      const held = probe.held === null ? '-' : probe.held ? 'yes' : 'no';
      return markup`<tr><th scope="row">${String(probe.number)}</th><td class="text">${probe.step}</td><td>${exactRate(probe.ratePerSec)}</td>
<td>${formatRate(probe.achievedPerSec)}</td>${figures}<td class="text ${probe.held === false ? 'bad' : null}">${held}</td><td class="text">${whyNot(probe)}</td></tr>`;
    }),
  );
}

const WIDTH = 640;
const HEIGHT = 220;
const EDGE = { left: 64, right: 16, top: 12, bottom: 34 };

/** A point of each judged probe on two logarithmic axes: full where the rate held, hollow where it did not. */
function latencyByRate({ probes, ratePerSec }: SearchSummary): Markup | null {
  const points = probes.flatMap((probe) => {
    const { ratePerSec: rate, p99Ns, held } = probe;
    return p99Ns === null || p99Ns <= 0 || held === null ? [] : [{ rate, p99Ns, held, probe }];
  });
  if (points.length < 3) return null;
  const x = axisOf(
    points.map(({ rate }) => rate),
    EDGE.left,
    WIDTH - EDGE.right,
  );
  const y = axisOf(
    points.map(({ p99Ns }) => p99Ns),
    HEIGHT - EDGE.bottom,
    EDGE.top,
  );
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    markup`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="currentColor" stroke-opacity="0.15"/>`;
  const grid = [
    ...x.ticks.map(({ at, value }) => [
      line(at, EDGE.top, at, HEIGHT - EDGE.bottom),
      markup`<text x="${at}" y="${HEIGHT - EDGE.bottom + 18}" text-anchor="middle" font-size="12" fill="currentColor">${formatRate(value)}/s</text>`,
    ]),
    ...y.ticks.map(({ at, value }) => [
      line(EDGE.left, at, WIDTH - EDGE.right, at),
      markup`<text x="${EDGE.left - 8}" y="${at + 4}" text-anchor="end" font-size="12" fill="currentColor">${formatLatency(value)}</text>`,
    ]),
  ];
  const marks = points.map(
    ({ rate, p99Ns, held, probe }) =>
      markup`<circle cx="${x.at(rate)}" cy="${y.at(p99Ns)}" r="4.5" stroke="currentColor" stroke-width="1.5" fill="${held ? 'currentColor' : 'none'}"><title>${titleOf(probe)}</title></circle>`,
  );
  const best =
    ratePerSec === null
      ? null
      : markup`<line x1="${x.at(ratePerSec)}" y1="${EDGE.top}" x2="${x.at(ratePerSec)}" y2="${HEIGHT - EDGE.bottom}" stroke="currentColor" stroke-dasharray="4 4" stroke-opacity="0.6"/>`;
  return markup`<figure class="chart"><figcaption><b>Latency by rate</b> <span class="quiet">p99 of response times, both axes logarithmic; full: held, hollow: did not, dashed: the answer</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="100%" role="img" aria-label="p99 of response times by rate, a point for each probe">${grid}${best}${marks}</svg></figure>`;
}

function titleOf(probe: Probe): string {
  const held = probe.held === true ? 'held' : `did not hold: ${whyNot(probe)}`;
  return `probe ${probe.number}, ${exactRate(probe.ratePerSec)}: p99 ${formatLatency(probe.p99Ns)}, ${held}`;
}

interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly at: number }[];
}

/** A logarithmic axis over the values and a little more, with marks at 1, 2 and 5 of each decade, thinned out. */
function axisOf(values: readonly number[], from: number, to: number): Axis {
  const low = Math.log10(Math.min(...values) / 1.15);
  const high = Math.log10(Math.max(...values) * 1.15);
  const at = (value: number) =>
    Math.round((from + ((Math.log10(value) - low) / (high - low)) * (to - from)) * 10) / 10;
  const marks: number[] = [];
  for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++)
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** decade;
      if (Math.log10(value) >= low && Math.log10(value) <= high) marks.push(value);
    }
  const step = Math.max(1, Math.ceil(marks.length / 7));
  return {
    at,
    ticks: marks.filter((_, index) => index % step === 0).map((value) => ({ value, at: at(value) })),
  };
}
