import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PacecarError, systemReason } from '@pacecar/protocol';

/**
 * Makes a directory with its parents, level by level: Node's recursive mkdir never returns below a file system that
 * refuses new entries as missing ones (/proc). Throws PacecarError REQUEST_INVALID if the path leads through or to
 * something that is no directory, STORAGE if the system refuses.
 */
export function makeDirectoryPath(directory: string): void {
  const path = resolve(directory);
  const missing: string[] = [];
  for (let level = path; !isDirectory(level, directory); level = dirname(level)) missing.push(level);
  for (const level of missing.toReversed())
    try {
      mkdirSync(level);
    } catch (thrown) {
      // Another process may have made it meanwhile.
      if (isDirectory(level, directory)) continue;
      // What it goes into is there, so it is the file system that has no place for it.
      const refused = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
      const reason = refused ? 'this file system makes no directories' : systemReason(thrown);
      throw new PacecarError(
        'STORAGE',
        `the directory ${level} cannot be made: ${reason}; choose another directory with --out`,
        { cause: thrown },
      );
    }
}

/** False if there is nothing. */
function isDirectory(path: string, wanted: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path !== dirname(path)) return false;
    if (code !== 'ENOTDIR')
      throw new PacecarError(
        code === 'ENAMETOOLONG' || code === 'ELOOP' ? 'REQUEST_INVALID' : 'STORAGE',
        `the directory ${wanted} cannot be used: ${systemReason(thrown)}; choose another directory with --out`,
        { cause: thrown },
      );
    return false;
  }
  throw new PacecarError(
    'REQUEST_INVALID',
    `${path === resolve(wanted) ? wanted : `${path} in ${wanted}`} is not a directory: name a new or an empty directory with --out`,
  );
}
