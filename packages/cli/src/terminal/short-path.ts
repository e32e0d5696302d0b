import { relative } from 'node:path';

/** A path as a person reads it best: relative to here if it is below. */
export function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') ? path : near;
}
