/** A reporter of node:test that writes one JSON line for each test or suite that was skipped. */
import { relative } from 'node:path';
import { ROOT } from './prepare.mjs';

export default async function* skipReporter(source) {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip, todo, name, file } = event.data;
    if (skip === undefined && todo === undefined) continue;
    const given = skip ?? todo;
    const reason = typeof given === 'string' && given !== '' ? given : 'no reason given';
    yield `${JSON.stringify({ name, file: file === undefined ? '?' : relative(ROOT, file), reason })}\n`;
  }
}
