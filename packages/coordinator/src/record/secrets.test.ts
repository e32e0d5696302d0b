import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactor } from './secrets.js';

test('a secret is replaced in every spelling', () => {
  const secret = `p@ss "w/o'rd\\é😀`;
  const redact = redactor([secret]);
  const spellings = [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURI(secret),
    `'${secret.replaceAll("'", "''")}'`,
    '"p\\x40ss\\u0020\\"w\\/o\'rd\\\\\\u00E9\\ud83d\\ude00"',
  ];
  for (const spelling of spellings) {
    const shown = redact(`before ${spelling} after`);
    assert.match(shown, /^before ["']?\*\*\*["']? after$/, spelling);
  }
});

test('a secret that holds another leaves nothing behind, in any order', () => {
  for (const secrets of [
    ['abcdefgh', 'abcdefghij'],
    ['abcdefghij', 'abcdefgh'],
  ])
    assert.equal(redactor(secrets)('abcdefghij abcdefgh'), '*** ***');
});

test('a secret of any length and any characters is replaced, and none shows in an error', () => {
  for (const secret of ['k'.repeat(100_000), '(['.repeat(300), 'a*'.repeat(250), '\\'.repeat(250)])
    assert.equal(redactor([secret])(`before ${secret} after`), 'before *** after');
});

test('many starts of a long secret take no time that grows with their product', () => {
  const secret = `${'a'.repeat(500)}b`;
  assert.equal(redactor([secret])('a'.repeat(20_000)), 'a'.repeat(20_000));
});

test('a short secret is replaced where secrets stand, and not as a part of names that would give it away', () => {
  const redact = redactor(['redis']);
  const rows: [text: string, shown: string][] = [
    ['target: "redis://user:redis@redis.example:6379"', 'target: "redis://user:***@redis.example:6379"'],
    ['target: redis://:redi%73@h', 'target: redis://:***@h'],
    ['{"password": "redis", "driver": "redis"}', '{"password": "***", "driver": "redis"}'],
    ['password: redis\ndriver: ioredis', 'password: ***\ndriver: ioredis'],
    ['password: redistribute', 'password: redistribute'],
    ['--token=redis', '--token=***'],
    ['redis-1 refused the connection', 'redis-1 refused the connection'],
    [
      "ERR unknown command 'AUTH', with args beginning with: 'me' 'redis' ",
      "ERR unknown command 'AUTH', with args beginning with: 'me' '***' ",
    ],
  ];
  for (const [text, shown] of rows) assert.equal(redact(text), shown);
  assert.equal(redactor(['redisredis'])('name: redisredis-1'), 'name: ***-1');
});

test('without secrets a text stays as it is', () => {
  assert.equal(redactor([])('password: x'), 'password: x');
});

test('property: no secret survives, raw, in JSON or in an address', () => {
  const printable = fc.string({ minLength: 8, maxLength: 20, unit: 'grapheme' });
  fc.assert(
    fc.property(printable, fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(!'***'.includes(secret));
      const redact = redactor([secret]);
      const spelled = JSON.stringify(secret).slice(1, -1);
      assert.ok(!redact(before + secret + after).includes(secret) || '***'.includes(secret));
      assert.equal(redact(`\0${spelled}\0`), '\0***\0');
      assert.equal(redact(`\0${encodeURIComponent(secret)}\0`), '\0***\0');
    }),
  );
});
