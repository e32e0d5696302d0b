import { type Plan, withoutSecrets } from '@pacecar/protocol';
import type { BundleSource } from '../source.js';
import type { Summary } from '../summary/schema.js';
import { DRIVER_CLASS } from '../text/run-section.js';
import { unbroken } from '../text/width.js';
import { formatBytes, formatCount, formatMs, plural } from '../units.js';
import { scrollingTable, textHead } from './figure-table.js';
import { type Markup, markup, preformatted } from './markup.js';

/** Texts of a bundle are shown up to here; the bundle has the whole. */
const MOST_TEXT = 200_000;
const CELLS_IN_PLAN = 20;
const HOSTS_SHOWN = 200;

/** What was checked and holds, and what a reader should know. */
export function checks(summary: Summary): Markup {
  const { reasons, evidence } = summary.verdict;
  return markup`<section id="checks"><h2>How far this can be trusted</h2><ul class="checks">
${reasons.map((reason) => markup`<li><span class="tag ${reason.level === 'INVALID' ? 'bad' : 'warn'}">${reason.level}</span> <span>${unbroken(reason.text)}</span></li>`)}
${evidence.map((finding) => markup`<li><span class="tag good">\u2713 holds</span> <span>${unbroken(finding.text)}</span></li>`)}</ul>
${summary.notes.length === 0 ? null : markup`<h3>Notes</h3><ul class="notes">${summary.notes.map((note) => markup`<li>${note}</li>`)}</ul>`}</section>`;
}

/** Workers and their hosts, targets as they answered, drivers with their class, versions. */
export function surroundings(summary: Summary): Markup {
  const { run } = summary;
  const hosts = run.workers.slice(0, HOSTS_SHOWN).map(
    (
      worker,
    ) => markup`<tr><th scope="row">${worker.name}</th><td class="text">${worker.group}</td><td class="text">${worker.host?.hostname ?? '-'}</td>
<td class="text">${worker.host === null ? '-' : `${worker.host.cpuCount} x ${worker.host.cpuModel}`}</td><td>${formatBytes(worker.host?.memoryBytes ?? null)}</td>
<td class="text">${worker.host === null ? '-' : `${worker.host.platform} ${worker.host.architecture}`}</td><td class="text">${worker.host?.nodeVersion ?? '-'}</td><td class="text">${worker.host?.pacecarVersion ?? '-'}</td>
<td>${worker.clock === null ? '-' : `+/- ${formatMs(worker.clock.errorMs)}`}</td><td class="text">${worker.lost === null ? `${run.outcome === 'complete' ? 'to the end' : 'as long as is known'}${worker.cuts === 0 ? '' : `, cut ${plural(worker.cuts, 'time')}`}` : markup`<span class="tag bad">lost</span> ${worker.lost.reason}`}</td></tr>`,
  );
  const more = run.workers.length - hosts.length;
  return markup`<section id="surroundings"><h2>Targets, drivers and hosts</h2>
${run.targets.map(
  (target) => markup`<div class="target"><h3>${target.configuration}: ${target.product} ${target.version}</h3>
<p class="quiet">${target.mode === '' ? '' : `${target.mode}, `}${target.address}, as seen by ${target.workers.length === run.participants.joined ? 'every worker' : plural(target.workers.length, 'worker')}</p>
${settings(target.settings)}</div>`,
)}
<h3>Drivers</h3><ul>${run.drivers.map((driver) => markup`<li><b>${driver.name}</b> ${driver.versions.join(' and ')}, ${DRIVER_CLASS[driver.class ?? 'unknown']} <span class="quiet">(${driver.configurations.join(', ')})</span></li>`)}</ul>
<h3>Workers</h3>${scrollingTable(
    'Workers and their hosts',
    [
      textHead('worker'),
      textHead('group'),
      textHead('host'),
      textHead('processors'),
      'memory',
      textHead('system'),
      textHead('Node.js'),
      textHead('Pacecar'),
      'clock error',
      textHead('stayed'),
    ],
    hosts,
  )}${more > 0 ? markup`<p class="note">and ${formatCount(more)} more: facts/hosts.json</p>` : null}</section>`;
}

function settings(values: Readonly<Record<string, string>>): Markup | null {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return markup`<details><summary>${plural(entries.length, 'setting')}, as the target says</summary><dl class="facts">${entries.map(
    ([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl></details>`;
}

/** Scenario and plan in full, and the commands that repeat and check the run. */
export function planAndRepeat(source: BundleSource, summary: Summary): Markup {
  const command = source.commandLine ?? source.manifest?.commandLine ?? null;
  return markup`<section id="plan"><h2>The plan</h2>
${source.scenarioText === '' ? null : markup`<details open><summary>scenario.yaml</summary><pre>${preformatted(clipped(source.scenarioText))}</pre></details>`}
<details><summary>plan.json: the scenario resolved, with every default</summary><pre>${preformatted(clipped(planText(source.plan)))}</pre></details></section>
<section id="again"><h2>Run it again</h2><p>The same scenario and seed (${String(source.plan.seed)}) ask for the same keys and values in the same order.</p>
<pre>${preformatted(
    [
      ...(command === null ? [] : ['# as it was started', command.map(shellWord).join(' '), '']),
      '# from the bundle',
      'pacecar run scenario.yaml',
      '',
      '# check that this report follows from the recorded statistics',
      'pacecar verify BUNDLE',
    ].join('\n'),
  )}</pre>
<p class="quiet">Pacecar ${summary.run.pacecarVersion ?? 'of an unknown version'}, run ${summary.run.epoch === null ? 'unknown' : String(summary.run.epoch)}</p></section>`;
}

function planText(plan: Plan): string {
  const shown = withoutSecrets(plan);
  if (shown.cells.length <= CELLS_IN_PLAN) return JSON.stringify(shown, null, 2);
  const text = JSON.stringify({ ...shown, cells: shown.cells.slice(0, CELLS_IN_PLAN) }, null, 2);
  return `${text}\n\nThe first ${CELLS_IN_PLAN} of ${shown.cells.length} cells; the rest stands in plan.json.`;
}

function clipped(text: string): string {
  return text.length <= MOST_TEXT
    ? text
    : `${text.slice(0, MOST_TEXT)}\n\n(cut here; the bundle has the whole)`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
