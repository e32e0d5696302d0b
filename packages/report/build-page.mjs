// Bundles page/main.ts and page/style.css into dist/page/bundle.js, a module of text constants: the report itself
// stays pure and one file. Runs in well under a second, and leaves the output alone when nothing changed.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, 'dist', 'page', 'bundle.js');

/** The bundle holds a copy of uPlot; its licence asks that its notice goes along. */
const uplot = createRequire(import.meta.url).resolve('uplot/package.json');
const { version } = JSON.parse(readFileSync(uplot, 'utf8'));
const licence = readFileSync(join(dirname(uplot), 'LICENSE'), 'utf8').trim();

const bundled = await build({
  absWorkingDir: here,
  entryPoints: { script: 'page/main.ts', style: 'page/style.css' },
  outdir: 'unwritten',
  write: false,
  bundle: true,
  minify: true,
  charset: 'ascii',
  format: 'iife',
  target: ['es2022', 'chrome100', 'firefox100', 'safari15'],
  banner: { js: `/*! uPlot ${version}\n${licence}\n*/` },
  legalComments: 'inline',
  logLevel: 'warning',
});

const text = (suffix) => {
  const file = bundled.outputFiles.find((candidate) => candidate.path.endsWith(suffix));
  if (file === undefined) throw new Error(`esbuild gave no *${suffix}`);
  // An inline element ends at its closing tag, wherever that stands.
  return file.text.replaceAll('</script', '<\\/script').replaceAll('</style', '<\\/style');
};
const hash = (source) => `sha256-${createHash('sha256').update(source, 'utf8').digest('base64')}`;
const script = text('script.js');
const style = text('style.css');

const source = `// Made by build-page.mjs; do not edit.
export const PAGE_SCRIPT = ${JSON.stringify(script)};
export const PAGE_SCRIPT_HASH = ${JSON.stringify(hash(script))};
export const PAGE_STYLE = ${JSON.stringify(style)};
export const PAGE_STYLE_HASH = ${JSON.stringify(hash(style))};
`;

let before = '';
try {
  before = readFileSync(output, 'utf8');
} catch {
  // Not built yet.
}
if (before !== source) {
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, source);
}
