import { type FileHandle, open, stat } from 'node:fs/promises';
import { PacecarError } from '@pacecar/protocol';

/** A file that only grows. What `append` and `sync` have returned from is on disk, under its name. */
export class AppendedFile {
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  static async open(path: string): Promise<AppendedFile> {
    return new AppendedFile(path, await open(path, 'a'));
  }

  async append(chunks: readonly Uint8Array[]): Promise<void> {
    await this.#handle.appendFile(Buffer.concat(chunks));
  }

  /** Throws also when the file has vanished: a deleted file can be written to without any error from the system. */
  async sync(): Promise<void> {
    await this.#handle.datasync();
    const [held, named] = await Promise.all([this.#handle.stat(), stat(this.path).catch(() => null)]);
    if (named === null || named.ino !== held.ino || named.dev !== held.dev)
      throw new PacecarError('STORAGE', `${this.path} was removed or replaced while the run wrote to it`);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
