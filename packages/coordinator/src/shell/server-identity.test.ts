import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { readServerIdentity } from './server-identity.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-identity-'));
after(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('files that are no pair of certificate and key are refused in plain words, naming flag and file', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = write('cert.pem', rootCertificates[0] as string);
  const key = write('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const locked = write(
    'locked.pem',
    privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 's3cret' })
      .toString(),
  );
  const prose = write('prose.pem', 'no certificate');
  const rows: [certFile: string, keyFile: string, message: RegExp][] = [
    [cert, key, /--tls-cert .*cert\.pem and --tls-key .*key\.pem cannot be used: the key does not belong/],
    [prose, key, /--tls-cert .*prose\.pem cannot be used: it holds no PEM certificate/],
    [key, key, /--tls-cert .*key\.pem cannot be used: it holds no PEM certificate/],
    [cert, prose, /--tls-key .*prose\.pem cannot be used: it holds no PEM private key/],
    [cert, locked, /--tls-key .*locked\.pem cannot be used: the key is protected by a passphrase/],
    [join(folder, 'none'), key, /--tls-cert .*none cannot be used: there is no such file/],
    [cert, folder, /--tls-key .* cannot be used: it is a directory/],
  ];
  for (const [certFile, keyFile, message] of rows)
    await assert.rejects(readServerIdentity({ certFile, keyFile }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'REQUEST_INVALID');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /Error|error:|::/);
      return true;
    });
});
