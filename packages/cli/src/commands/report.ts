import { writeFileSync } from 'node:fs';
import { EXIT, PacecarError } from '@pacecar/protocol';
import { Command, Option } from 'commander';
import { wholeNumber } from '../flag.js';
import { mayColor, writeError, writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';

const FORMATS = ['text', 'json', 'csv', 'html'] as const;
type Format = (typeof FORMATS)[number];

interface ReportOptions {
  readonly format: Format;
  readonly output?: string;
  readonly perWorker?: true;
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
    .option('--columns <n>', 'width of the text (default: that of the terminal)', wholeNumber(40, 1_000))
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
  try {
    writeFileSync(options.output, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PacecarError('STORAGE', `${options.output} cannot be written: ${reason}`, { cause: error });
  }
  writeError(`${options.output} written\n`);
  return EXIT.ok;
}

async function renderBundle(directory: string, options: ReportOptions): Promise<string> {
  const [{ openBundle }, { renderCsv, renderHtml, renderJson, renderText, summarize }] = await Promise.all([
    import('../bundle/bundle-source.js'),
    import('@pacecar/report'),
  ]);
  const source = openBundle(directory);
  const summary = summarize(source);
  const render: Readonly<Record<Format, () => string>> = {
    text: () =>
      renderText(summary, {
        columns: options.columns ?? process.stdout.columns ?? 120,
        color: options.output === undefined && mayColor(process.stdout),
        perWorker: options.perWorker === true,
      }),
    json: () => renderJson(summary),
    csv: () => renderCsv(summary, options.perWorker === true ? 'workers' : 'rows'),
    html: () => renderHtml(source, summary),
  };
  return render[options.format]();
}
