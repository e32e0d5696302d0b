import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { read, ROOT, writtenFiles } from './checkout.js';
import { run } from '../packaging/command.js';

const MAIN = join(ROOT, 'packages/cli/dist/main.js');

interface Named {
  readonly document: string;
  readonly command: string;
  readonly flags: readonly string[];
}

/** Every `pacecar COMMAND ... --flag` that a document or an example tells people to type. */
const named: readonly Named[] = writtenFiles()
  .filter((file) => file.endsWith('.md') || file.startsWith('scenarios/'))
  .flatMap((document) =>
    read(document)
      .split('\n')
      .flatMap((line) => {
        const [, command, rest] = /(?:^[\s#]*|`|npx )(?:\.\/)?pacecar ([a-z]+)([^`]*)/.exec(line) ?? [];
        if (command === undefined) return [];
        return [{ document, command, flags: (rest ?? '').match(/--[a-z-]+/g) ?? [] }];
      }),
  );

test('every command and flag that the documents name exists', async () => {
  assert.ok(named.length > 10, `only ${named.length} commands found in the documents`);
  const unknown: string[] = [];
  for (const command of new Set(named.map((one) => one.command))) {
    const { code, stdout } = await run(process.execPath, [MAIN, command, '--help'], {
      cwd: ROOT,
      limitMs: 30_000,
    });
    for (const one of named.filter((candidate) => candidate.command === command)) {
      if (code !== 0) unknown.push(`${one.document}: pacecar ${command}`);
      for (const flag of one.flags)
        if (!new RegExp(`${flag}\\b`).test(stdout))
          unknown.push(`${one.document}: pacecar ${command} ${flag}`);
    }
  }
  assert.deepEqual(unknown, []);
});
