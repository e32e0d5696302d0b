import type { Act } from '../summary/schema.js';
import { filesText, serversText } from '../text/act-section.js';
import { formatDuration } from '../units.js';
import { type Markup, markup } from './markup.js';

/** A stage that sent no load. */
export function actSection(act: Act): Markup {
  const tag = act.outcome === 'complete' ? null : markup` <span class="tag bad">${act.outcome}</span>`;
  const length = act.elapsedMs === null ? 'never began' : formatDuration(act.elapsedMs);
  const details = [serversText(act), filesText(act)].filter((text) => text !== null);
  return markup`<p class="unmeasured"><b>${act.name}</b> <span class="tag">${act.kind}</span>
<span class="quiet">${[`${act.text}: ${length}`, ...details].join('; ')}</span>${tag}</p>`;
}
