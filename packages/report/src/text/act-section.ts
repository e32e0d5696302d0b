import type { Act, Mark } from '../summary/schema.js';
import { formatBytes, formatDuration, plural } from '../units.js';
import type { Ink } from './ink.js';
import { printable, wrap } from './width.js';

/** Files that are named; of more, the largest. */
const FILES_SHOWN = 3;

/** A stage that sent no load, in a line; and what its servers left on their disks. */
export function actLines(act: Act, columns: number, ink: Ink): string[] {
  const outcome = act.outcome === 'complete' ? act.outcome : ink('bad', act.outcome.toUpperCase());
  const length = act.elapsedMs === null ? 'never began' : formatDuration(act.elapsedMs);
  const details = [serversText(act), filesText(act)].filter((text) => text !== null);
  return [
    `${ink('bold', printable(act.name))}  ${printable(act.text)}: ${length}, ${outcome}`,
    ...details.flatMap((text) => wrap(printable(text), columns - 2).map((line) => `  ${ink('dim', line)}`)),
  ];
}

/** `redis 7.0.15 at 127.0.0.1:6379`, and how many more. */
export function serversText({ nodes }: Act): string | null {
  const told = nodes.filter(({ product }) => product !== null);
  const [first] = told;
  if (first === undefined) return null;
  const more = told.length > 1 ? ` and ${plural(told.length - 1, 'more process', 'more processes')}` : '';
  return `${first.product} ${first.version} at ${first.address}${more}`;
}

/** Of processes that were stopped or asked: what they have on their disks. */
export function filesText({ nodes }: Act): string | null {
  const files = nodes.flatMap((node) =>
    node.files.map(({ name, bytes }) => ({
      name: nodes.length > 1 ? `${node.role} ${node.index} ${name}` : name,
      bytes,
    })),
  );
  if (files.length === 0) return null;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const shown = [...files].sort((a, b) => b.bytes - a.bytes).slice(0, FILES_SHOWN);
  const names = shown.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ');
  const more = files.length > shown.length ? `, and ${files.length - shown.length} more` : '';
  return `files    ${formatBytes(total)}: ${names}${more}`;
}

/** `2.0 s kill master 0 of cache; 5.0 s ...` */
export function marksText(marks: readonly Mark[]): string | null {
  if (marks.length === 0) return null;
  return marks.map(({ atMs, text }) => `at ${formatDuration(atMs)} ${text}`).join('; ');
}
