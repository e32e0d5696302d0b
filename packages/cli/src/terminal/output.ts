/**
 * Standard output and error of this process. A reader that goes away (`pacecar report B | head`) is no failure:
 * what it does not want is dropped and the exit code stays what the run deserves.
 */
const closed = new Set<NodeJS.WriteStream>();

export function watchForClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
      closed.add(stream);
    });
}

/** Resolves when the text has left this process, or nobody reads any more. */
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

/** Whether text for `stream` may be coloured: a terminal that can, and a person who did not say NO_COLOR. */
export function mayColor(stream: NodeJS.WriteStream): boolean {
  const refused = process.env['NO_COLOR'];
  return stream.isTTY === true && process.env['TERM'] !== 'dumb' && (refused === undefined || refused === '');
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (closed.has(stream)) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
