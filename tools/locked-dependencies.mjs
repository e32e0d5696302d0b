/** Whether node_modules holds what package-lock.json asks for, judged without npm and without the network. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first locked package that is not installed in its locked version, or null. */
export function missingDependency(root) {
  const locked = read(join(root, 'package-lock.json'));
  // npm writes what it installed into this file, last of all.
  const installed = read(join(root, 'node_modules/.package-lock.json'));
  for (const [path, entry] of Object.entries(locked?.packages ?? {})) {
    if (!path.startsWith('node_modules/')) continue;
    const found = installed?.packages?.[path];
    // Optional packages for other systems are locked, but not installed here.
    if (found === undefined && entry.optional === true) continue;
    if (found === undefined || found.version !== entry.version || found.link !== entry.link) return path;
    if (!existsSync(join(root, path, 'package.json'))) return path;
  }
  return null;
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
