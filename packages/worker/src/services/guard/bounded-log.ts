import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** Where the older half of a log stands. */
const olderName = (path: string): string => `${path}.1`;

/**
 * A log file that keeps the newest lines within a bound: when half of it is full, that half is set aside in place of
 * the one before. What cannot be written is lost, since a full disk must not end a server.
 */
export class BoundedLog {
  readonly #path: string;
  readonly #halfBytes: number;
  #file: number;
  #written = 0;

  /** Throws if the file cannot be made. */
  constructor(path: string, mostBytes: number) {
    this.#path = path;
    this.#halfBytes = Math.max(1, Math.floor(mostBytes / 2));
    this.#file = openSync(path, 'a', 0o600);
  }

  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#halfBytes - this.#written);
      this.#append(piece);
      at += piece.length;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(piece: Uint8Array): void {
    try {
      writeSync(this.#file, piece);
      this.#written += piece.length;
      if (this.#written < this.#halfBytes) return;
      closeSync(this.#file);
      renameSync(this.#path, olderName(this.#path));
      this.#file = openSync(this.#path, 'a', 0o600);
      this.#written = 0;
    } catch {
      // Said above: lost.
      this.#written = 0;
    }
  }
}

/** What is kept of a log, the last `mostBytes` of it; empty when there is none. */
export function readLog(path: string, mostBytes: number): string {
  const parts = [olderName(path), path].map((part) => {
    try {
      return readFileSync(part);
    } catch {
      return Buffer.alloc(0);
    }
  });
  const whole = Buffer.concat(parts);
  return whole.toString('utf8', Math.max(0, whole.length - mostBytes));
}

/** Its last lines that are not empty. */
export function lastLines(path: string, lines: number): string {
  return readLog(path, 16 * 1024)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-lines)
    .join('\n');
}
