import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectoryPath } from '@pacecar/coordinator';
import { PacecarError, systemReason } from '@pacecar/protocol';

const SLUG_LENGTH = 60;

/** A scenario's name as a part of a file name: ASCII letters, digits, dots and dashes, never empty or hidden. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, SLUG_LENGTH)
    .replace(/[-.]+$/, '');
  return slug === '' ? 'run' : slug;
}

/**
 * Makes the directory of a new run and returns its path: `out` if it is given (new or empty), otherwise
 * `results/<UTC time>-<name>` here, with a number behind it if two runs start in one second.
 * Throws REQUEST_INVALID for an `out` that holds something or is no directory, STORAGE if it cannot be made.
 */
export function makeBundleDirectory(out: string | null, name: string, now: Date): string {
  if (out !== null) {
    if (out === '')
      throw new PacecarError('REQUEST_INVALID', '--out is empty: name a new or an empty directory');
    makeDirectoryPath(out);
    const found = entriesOf(out);
    if (found.length > 0)
      throw new PacecarError(
        'REQUEST_INVALID',
        `--out ${out} is not empty (it has ${found[0]}): name a new or an empty directory, a run never overwrites another`,
      );
    return resolve(out);
  }
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').concat('Z');
  makeDirectoryPath('results');
  for (let attempt = 1; ; attempt++) {
    const directory = join('results', `${time}-${slugOf(name)}${attempt === 1 ? '' : `-${attempt}`}`);
    try {
      mkdirSync(directory);
      return resolve(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotMake(directory, error);
    }
  }
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw cannotMake(directory, error);
  }
}

function cannotMake(directory: string, error: unknown): PacecarError {
  return new PacecarError(
    'STORAGE',
    `the bundle's directory ${directory} cannot be used: ${systemReason(error)}; choose another with --out`,
    { cause: error },
  );
}
