export { type CsvTable, renderCsv, timelineCsv } from './csv/csv.js';
export { exitCodeOf } from './exit-code.js';
export { renderHtml } from './html/html.js';
export { renderJson } from './json.js';
export type { BundleSource } from './source.js';
export * from './summary/schema.js';
export { summarize } from './summary/summarize.js';
export { renderText, type TextOptions } from './text/text.js';
