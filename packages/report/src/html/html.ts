import type { BundleSource } from '../source.js';
import type { Summary } from '../summary/schema.js';

/** report.html: one file that opens from disk with no network. */
export function renderHtml(_source: BundleSource, _summary: Summary): string {
  return '';
}
