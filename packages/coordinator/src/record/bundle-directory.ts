import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUNDLE_FILES, PacecarError, type Plan, systemReasonAt, withoutSecrets } from '@pacecar/protocol';
import { makeDirectoryPath } from './directory-path.js';
import { replaceFile } from './replaced-file.js';
import type { Redact } from './secrets.js';

/**
 * Creates the directory of a bundle with all that is known before a run: scenario, plan, command line, empty facts.
 * A missing parent is created. Of two runs that want one directory at the same moment one gets it. Throws PacecarError
 * REQUEST_INVALID if it is not empty, or no directory, and STORAGE if it cannot be written.
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
    makeDirectoryPath(directory);
    await claim(directory);
    const files: readonly (readonly [path: string, text: string])[] = [
      [BUNDLE_FILES.scenario, content.redact(content.scenarioText)],
      [BUNDLE_FILES.plan, json(withoutSecrets(content.plan))],
      [BUNDLE_FILES.command, json(content.commandLine.map(content.redact))],
      [BUNDLE_FILES.hosts, json([])],
      [BUNDLE_FILES.targets, json([])],
    ];
    for (const folder of new Set(files.map(([path]) => dirname(path))))
      if (folder !== '.') await mkdir(join(directory, folder));
    for (const [path, text] of files) await replaceFile(join(directory, path), text);
  } catch (thrown) {
    if (thrown instanceof PacecarError) throw thrown;
    throw new PacecarError(
      'STORAGE',
      `the bundle cannot be created in ${directory}: ${systemReasonAt(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
}

/** Makes the folder of the frames, which only one run can do: the others find the directory taken. */
async function claim(directory: string): Promise<void> {
  const taken = (found: string): PacecarError =>
    new PacecarError(
      'REQUEST_INVALID',
      `the directory of the bundle, ${directory}, is not empty (it has ${found}): ` +
        'name a new or an empty directory, a run never overwrites another',
    );
  const folder = dirname(BUNDLE_FILES.frames(0));
  const [found] = await readdir(directory);
  if (found !== undefined) throw taken(found);
  try {
    await mkdir(join(directory, folder));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw taken(folder);
    throw thrown;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
