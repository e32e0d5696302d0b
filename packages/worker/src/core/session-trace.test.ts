import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { SessionTrace } from './session-trace.test.support.js';

/** Scripts stand beside the source; this runs from dist. */
const FOLDER = new URL('../../src/core/traces/', import.meta.url);

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.txt'))) {
  const script = readFileSync(new URL(file, FOLDER), 'utf8');
  const [, title = file] = script.match(/^# (.*)$/m) ?? [];
  test(`${file}: ${title}`, () => {
    const played = play(script);
    if (process.env.UPDATE_TRACES === '1') writeFileSync(new URL(file, FOLDER), played);
    else assert.equal(played, script);
  });
}

/** The script again, with what the core answers now. */
function play(script: string): string {
  const trace = new SessionTrace();
  const blocks = script.trim().split(/\n\n+/);
  const played = blocks.map((block) => {
    const lines = block.split('\n');
    const dashes = lines.indexOf('----');
    const head = dashes === -1 ? lines : lines.slice(0, dashes);
    const commands = head.filter((line) => !line.startsWith('#'));
    if (commands.length === 0) return head.join('\n');
    return [...head, '----', ...trace.run(commands)].join('\n');
  });
  return `${played.join('\n\n')}\n`;
}
