import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LIMITS } from '@pacecar/protocol';
import { pino } from 'pino';
import { readPassword, readToken } from './token.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-token-'));
const before = process.env['PACECAR_TOKEN'];
after(() => {
  rmSync(folder, { recursive: true });
  if (before !== undefined) process.env['PACECAR_TOKEN'] = before;
});
const logger = pino({ level: 'silent' });

function file(content: string | Buffer): string {
  writeFileSync(join(folder, 'secret'), content, { mode: 0o600 });
  return join(folder, 'secret');
}

/** Refused with exit 2, by a message that is short and does not hold the secret. */
function refused(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error: Error & { exitCode: number }) => {
    assert.equal(error.exitCode, 2);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /xyz/);
    assert.ok(error.message.length < 500);
    return true;
  });
}

const WRONG: readonly (readonly [content: string, problem: RegExp])[] = [
  ['xyz'.repeat(171), /longer than the 512 bytes/],
  ['xyz'.repeat(100_000), /longer than the 512 bytes/],
  [`xyzxyzxyz\u0000`, /control character/],
  [`xyzxyzxyz\u001b[2J`, /control character/],
];

test('the first line of a file is the token, up to the limit', () => {
  assert.equal(readToken(file('a-token-of-ours\nand more\n'), logger), 'a-token-of-ours');
  assert.equal(readToken(file('a-token-of-ours\r\n'), logger), 'a-token-of-ours');
  const longest = 't'.repeat(LIMITS.tokenBytes);
  assert.equal(readToken(file(longest), logger), longest);
});

test('what is no token is refused in a file and in the environment, and not repeated', () => {
  const short: (typeof WRONG)[number][] = [
    ['xyz', /less than 8 characters/],
    ['xyz xyz xyz', /more than one word/],
  ];
  for (const [content, problem] of [...WRONG, ...short]) {
    refused(() => readToken(file(content), logger), problem);
    if (content.includes('\0') || content.length > 100_000) continue;
    process.env['PACECAR_TOKEN'] = content;
    refused(() => readToken(undefined, logger), problem);
    assert.equal(process.env['PACECAR_TOKEN'], undefined, 'no child inherits it');
  }
  refused(() => readToken(file(''), logger), /is empty/);
  refused(() => readToken(file(Buffer.from([0xff, 0xfe, 0xfd])), logger), /no text in UTF-8/);
  refused(() => readToken(join(folder, 'none'), logger), /there is no such file/);
  assert.equal(readToken(undefined, logger), null);
});

test('a password is bounded as a token is', () => {
  assert.equal(readPassword(file('a b\n'), logger), 'a b');
  for (const [content, problem] of WRONG) refused(() => readPassword(file(content), logger), problem);
});

test('a file without an end is not read to its end', {
  skip: existsSync('/dev/zero') ? false : 'there is no /dev/zero here',
}, () => {
  refused(() => readToken('/dev/zero', logger), /longer than the 512 bytes|control character/);
});
