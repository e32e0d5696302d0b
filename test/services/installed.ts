import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Servers and programs that suites need, and how to get them. */
const INSTALL_HINTS = {
  'redis-server': 'apt-get install redis-server (macOS: brew install redis)',
  'valkey-server': 'apt-get install valkey-server, where the system has it (macOS: brew install valkey)',
  'redis-benchmark': 'apt-get install redis-tools (macOS: brew install redis)',
  memcached: 'apt-get install memcached (macOS: brew install memcached)',
  ferretdb: 'tools/build-ferretdb.sh FOLDER-ON-THE-PATH (needs Go 1.22, see go.dev/dl)',
  chromium: 'apt-get install chromium',
  tmux: 'apt-get install tmux (macOS: brew install tmux)',
  openssl: 'apt-get install openssl',
  java: 'apt-get install openjdk-17-jre-headless (macOS: brew install openjdk@17)',
  mvn: 'apt-get install maven (macOS: brew install maven)',
} as const;
export type Program = keyof typeof INSTALL_HINTS;

/** Full path of a program on the PATH, or null. */
export function findProgram(name: Program): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/**
 * Options for `describe` or `test`: skips with a reason and an install hint, which `npm test` lists at its end, unless
 * all the programs are installed. Where PACECAR_REQUIRE_SERVICES=1, `npm test` fails on any skip.
 */
export function needs(...programs: Program[]): { skip: string | false } {
  const missing = programs.filter((name) => findProgram(name) === null);
  if (missing.length === 0) return { skip: false };
  return {
    skip: missing.map((name) => `${name} is not installed: ${INSTALL_HINTS[name]}`).join('; '),
  };
}
