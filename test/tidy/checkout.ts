import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout: this file runs from build/test/tidy. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Folders that are made, not written. */
const MADE = new Set(['node_modules', 'dist', 'build', 'results', '.git']);

/** Every file that people wrote, relative to the checkout with forward slashes, sorted. */
export function writtenFiles(): string[] {
  return walk('').sort();
}

/** Every folder of `parent`, without those that are made, and hidden ones. */
export function folders(parent: string): string[] {
  return readdirSync(join(ROOT, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !MADE.has(entry.name) && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function readJson<T>(path: string): T {
  return JSON.parse(read(path)) as T;
}

export const PACKAGES = folders('packages');

export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly type?: string;
  readonly files?: readonly string[];
  readonly exports?: unknown;
  readonly publishConfig?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export function packageJson(name: string): PackageJson {
  return readJson(`packages/${name}/package.json`);
}

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : walk(path);
    return entry.isFile() ? [path.split(sep).join('/')] : [];
  });
}
