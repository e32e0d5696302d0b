import { PAGE_SCRIPT, PAGE_SCRIPT_HASH, PAGE_STYLE, PAGE_STYLE_HASH } from '../page/bundle.js';
import type { BundleSource } from '../source.js';
import { cellLabel } from '../summary/cell-label.js';
import type { CellSummary, StageSummary, Summary } from '../summary/schema.js';
import { neverBegan } from '../summary/stage-summary.js';
import { checks, planAndRepeat, surroundings } from './back-matter.js';
import { pageData } from './chart-data.js';
import { jsonForScript, Markup, markup } from './markup.js';
import { comparison, masthead, tiles } from './overview.js';
import { actSection } from './act-section.js';
import { briefSection, stageSection, unmeasuredSection } from './stage-section.js';

/** More cells than this stand only in the comparison, so that the page stays below 2 MB. */
const CELLS_IN_FULL = 24;

/**
 * report.html: one file that opens from disk with no network. Its policy allows this one script and this one style
 * sheet, by their hashes, and nothing else. Tables are plain HTML; only the charts need the script.
 */
export function renderHtml(source: BundleSource, summary: Summary): string {
  const cells = summary.cells.slice(0, CELLS_IN_FULL);
  const charted = new Map<string, StageSummary>();
  for (const cell of cells)
    for (const stage of cell.stages)
      if (isMain(cell, stage) && !neverBegan(stage)) charted.set(chartId(cell, stage), stage);
  // What a background did stands beside the figures that are asked for first.
  const measured = [...charted.values()].filter(({ background }) => !background);
  const [first] = measured;
  const several = summary.cells.length > 1;
  const document = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${raw(PAGE_SCRIPT_HASH)}'; style-src '${raw(PAGE_STYLE_HASH)}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Pacecar">
<link rel="icon" href="data:,">
<title>${summary.run.name}: ${summary.verdict.status}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<main>
${masthead(summary)}
${several || first === undefined || measured.length !== 1 ? null : tiles(first)}
<nav aria-label="Sections"><a href="#results">Results</a><a href="#checks">Trust</a><a href="#surroundings">Targets and hosts</a><a href="#plan">Plan</a><a href="#again">Run it again</a></nav>
<section id="results"><h2>Results</h2>
${several ? comparison(summary, (cell) => (cells.includes(cell) ? cellId(cell) : null)) : null}
${cells.map((cell) => cellSection(summary, cell, several))}
${summary.cells.length > cells.length ? markup`<p class="note">The first ${cells.length} of ${summary.cells.length} cells are shown in full; <code>pacecar report BUNDLE --format csv</code> has all.</p>` : null}
</section>
${checks(summary)}
${surroundings(summary)}
${planAndRepeat(source, summary)}
</main>
<script type="application/json" id="data">${jsonForScript(pageData(charted))}</script>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`;
  return document.html;
}

/** Made by the build, not by a bundle. */
function raw(text: string): Markup {
  return new Markup(text);
}

/** Shown in full: measurements, or every stage where a cell has none. */
function isMain(cell: CellSummary, stage: StageSummary): boolean {
  return stage.kind === 'measure' || !cell.stages.some(({ kind }) => kind === 'measure');
}

function cellId(cell: CellSummary): string {
  return `cell-${cell.index}`;
}

function chartId(cell: CellSummary, stage: StageSummary): string {
  return `${cell.index}-${stage.index}`;
}

function cellSection(summary: Summary, cell: CellSummary, several: boolean): Markup {
  const parts = [
    ...cell.stages.map((stage) => ({
      index: stage.index,
      part: isMain(cell, stage)
        ? stageSection(summary, stage, chartId(cell, stage))
        : briefSection(summary, stage),
    })),
    ...cell.unmeasured.map((stage) => ({ index: stage.index, part: unmeasuredSection(stage) })),
    ...cell.acts.map((act) => ({ index: act.index, part: actSection(act) })),
  ];
  parts.sort((a, b) => a.index - b.index);
  const heading = several ? markup`<h2>#${cell.index + 1} ${cellLabel(summary, cell)}</h2>` : null;
  return markup`<article id="${cellId(cell)}" class="cell">${heading}${parts.map(({ part }) => part)}</article>`;
}
