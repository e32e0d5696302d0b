import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUNDLE_FILES, PacecarError, type Plan, withoutSecrets } from '@pacecar/protocol';
import type { Redact } from './secrets.js';

/**
 * Creates the directory of a bundle with all that is known before a run: scenario, plan, command line, empty facts.
 * A missing parent is created. Throws PacecarError STORAGE if it exists and is not empty, or cannot be written.
 */
export async function createBundleDirectory(
  directory: string,
  content: {
    readonly plan: Plan;
    readonly scenarioText: string;
    readonly commandLine: readonly string[];
    readonly redact: Redact;
  },
): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    const found = await readdir(directory);
    if (found.length > 0)
      throw new PacecarError(
        'STORAGE',
        `the bundle directory ${directory} exists and is not empty (${found.length} entries): ` +
          'name another one or remove it; a bundle is never overwritten',
      );
    const files: readonly (readonly [path: string, text: string])[] = [
      [BUNDLE_FILES.scenario, content.redact(content.scenarioText)],
      [BUNDLE_FILES.plan, json(withoutSecrets(content.plan))],
      [BUNDLE_FILES.command, json(content.commandLine.map(content.redact))],
      [BUNDLE_FILES.hosts, json([])],
      [BUNDLE_FILES.targets, json([])],
    ];
    for (const folder of new Set([...files.map(([path]) => dirname(path)), dirname(BUNDLE_FILES.frames(0))]))
      await mkdir(join(directory, folder), { recursive: true });
    for (const [path, text] of files) await writeFile(join(directory, path), text, { flag: 'wx' });
  } catch (thrown) {
    if (thrown instanceof PacecarError) throw thrown;
    throw new PacecarError('STORAGE', `cannot create the bundle directory ${directory}: ${String(thrown)}`, {
      cause: thrown,
    });
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
