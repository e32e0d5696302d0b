import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BoundedLog, lastLines, readLog } from './bounded-log.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a log keeps the newest of what is written, within its bound', () => {
  const path = join(folder, 'server.log');
  const log = new BoundedLog(path, 1_000);
  for (let line = 0; line < 10_000; line++) log.write(Buffer.from(`line ${line}\n`));
  log.close();
  assert.ok(statSync(path).size + statSync(`${path}.1`).size <= 1_000);
  const kept = readLog(path, 10_000);
  assert.ok(kept.length >= 500, `${kept.length}`);
  const numbers = [...kept.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
  assert.equal(numbers.at(-1), 9_999);
  assert.deepEqual(
    numbers.slice(1),
    numbers.slice(0, -1).map((number) => number + 1),
  );
  assert.equal(lastLines(path, 2), 'line 9998\nline 9999');
  assert.equal(readLog(path, 4), '999\n');
});

test('one piece that is larger than the bound leaves its end', () => {
  const path = join(folder, 'large.log');
  const log = new BoundedLog(path, 100);
  log.write(Buffer.from(`${'x'.repeat(5_000)}end`));
  log.close();
  assert.match(readLog(path, 1_000), /^x{40,97}end$/);
});

test('a log that is not there is empty', () => {
  assert.equal(lastLines(join(folder, 'none.log'), 5), '');
});
