import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { PacecarError } from '@pacecar/protocol';

/**
 * Full path of the first of these programs that is on the PATH of this worker; which programs there are is up to
 * whoever runs the worker, and never to a scenario. Throws SERVICE_FAILED with the remedy.
 */
export function findProgram(names: readonly string[], remedy: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const name of names)
    for (const folder of folders) {
      const path = join(folder, name);
      if (isProgram(path)) return path;
    }
  throw new PacecarError(
    'SERVICE_FAILED',
    `${names.join(' or ')} is not installed, or not on the PATH of this worker: ${remedy}`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
