import { PacecarError, systemReason } from '@pacecar/protocol';

/**
 * Standard output and error of this process. A reader that goes away (`pacecar report B | head`) is no failure:
 * what it does not want is dropped and the exit code stays what the run deserves.
 */
const closed = new Set<NodeJS.WriteStream>();

/** What a write says when nobody reads any more. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

export function watchForClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => closed.add(stream));
}

/** Resolves when the text has left this process, or nobody reads any more. Throws STORAGE if it cannot be written. */
export function writeOut(text: string): Promise<void> {
  return write(process.stdout, text);
}

export function writeError(text: string): void {
  if (!closed.has(process.stderr)) process.stderr.write(text);
}

/** Waits until everything that was written has left this process. */
export async function flushOutput(): Promise<void> {
  await Promise.all([write(process.stdout, ''), write(process.stderr, '')]);
}

/** Width of a report that goes into a file or a pipe, if COLUMNS says nothing. */
const PLAIN_COLUMNS = 100;
const LEAST_COLUMNS = 40;
const MOST_COLUMNS = 1_000;

/** Columns of a report on standard output: those of the terminal; elsewhere COLUMNS, as a person or a shell set it. */
export function reportColumns(): number {
  const { columns } = process.stdout;
  if (columns !== undefined) return columns;
  const wanted = process.env['COLUMNS'] ?? '';
  if (!/^\d{1,9}$/.test(wanted) || Number(wanted) === 0) return PLAIN_COLUMNS;
  return Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, Number(wanted)));
}

/** Whether text for `stream` may be coloured: a terminal that can, and a person who did not say NO_COLOR. */
export function mayColor(stream: NodeJS.WriteStream): boolean {
  const refused = process.env['NO_COLOR'];
  return stream.isTTY === true && process.env['TERM'] !== 'dumb' && (refused === undefined || refused === '');
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (closed.has(stream)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: NodeJS.ErrnoException | null) => {
      if (error === null || error === undefined || GONE.has(error.code ?? '')) resolve();
      else
        reject(
          new PacecarError('STORAGE', `the output cannot be written: ${systemReason(error)}`, {
            cause: error,
          }),
        );
    });
  });
}
