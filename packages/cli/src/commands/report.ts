import { lstatSync, writeFileSync } from 'node:fs';
import { EXIT, PacecarError, systemReason } from '@pacecar/protocol';
import { Command, Option } from 'commander';
import { wholeNumber } from '../flag.js';
import { mayColor, reportColumns, writeError, writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';

const FORMATS = ['text', 'json', 'csv', 'html'] as const;
type Format = (typeof FORMATS)[number];

interface ReportOptions {
  readonly format: Format;
  readonly output?: string;
  readonly perWorker?: true;
  readonly probes?: true;
  readonly columns?: number;
}

export function reportCommand(): Command {
  return new Command('report')
    .summary('make a report from the bundle of a run')
    .description('Makes a report from the bundle of a run, also of one that was interrupted or crashed.')
    .helpGroup(HELP_GROUPS.results)
    .argument('<bundle>', 'the directory that the run wrote')
    .addOption(new Option('--format <format>', 'what to make').choices(FORMATS).default('text'))
    .option('--output <file>', 'write it to a file instead of stdout')
    .option('--per-worker', 'with text: add a table of every worker; with csv: only that table')
    .option('--probes', 'with csv: only the probes of searches, a line for each and its objectives')
    .option(
      '--columns <n>',
      'width of the text (default: that of the terminal, or COLUMNS)',
      wholeNumber(40, 1_000),
    )
    .addHelpText(
      'after',
      `
Examples:
  pacecar report results/20260131T120000Z-demo
  pacecar report results/20260131T120000Z-demo --format csv > rows.csv
  pacecar report results/20260131T120000Z-demo --format html --output report.html`,
    )
    .action(async (directory: string, options: ReportOptions) => {
      process.exitCode = await report(directory, options);
    });
}

async function report(directory: string, options: ReportOptions): Promise<number> {
  const text = await renderBundle(directory, options);
  if (options.output === undefined) {
    await writeOut(text);
    return EXIT.ok;
  }
  await writeReport(options.output, text);
  writeError(`${options.output} written\n`);
  return EXIT.ok;
}

/** A device or a pipe is written to; a file is whole or as it was. */
async function writeReport(path: string, text: string): Promise<void> {
  if (path === '') throw new PacecarError('REQUEST_INVALID', '--output is empty: name a file');
  const { replaceFile } = await import('@pacecar/coordinator');
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) await replaceFile(path, text);
    else writeFileSync(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PacecarError(
      code === 'EISDIR' || code === 'ENOENT' || code === 'ENOTDIR' ? 'REQUEST_INVALID' : 'STORAGE',
      `--output ${path} cannot be written: ${systemReason(error)}; name another file`,
      { cause: error },
    );
  }
}

function tableOf({ perWorker, probes }: ReportOptions): 'rows' | 'workers' | 'probes' {
  if (probes !== true) return perWorker === true ? 'workers' : 'rows';
  if (perWorker === true)
    throw new PacecarError(
      'REQUEST_INVALID',
      '--probes and --per-worker are two tables: ask for one of them',
    );
  return 'probes';
}

async function renderBundle(directory: string, options: ReportOptions): Promise<string> {
  const [{ openBundle }, { renderCsv, renderHtml, renderJson, renderText, summarize }] = await Promise.all([
    import('../bundle/bundle-source.js'),
    import('@pacecar/report'),
  ]);
  if (options.probes === true && options.format !== 'csv')
    throw new PacecarError(
      'REQUEST_INVALID',
      '--probes is a table for --format csv; text and html have it anyway',
    );
  const source = openBundle(directory);
  const summary = summarize(source);
  const render: Readonly<Record<Format, () => string>> = {
    text: () =>
      renderText(summary, {
        columns: options.columns ?? reportColumns(),
        color: options.output === undefined && mayColor(process.stdout),
        perWorker: options.perWorker === true,
      }),
    json: () => renderJson(summary),
    csv: () => renderCsv(summary, tableOf(options)),
    html: () => renderHtml(source, summary),
  };
  return render[options.format]();
}
