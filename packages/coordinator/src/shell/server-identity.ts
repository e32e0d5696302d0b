import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { PacecarError, systemReason } from '@pacecar/protocol';

/** The certificate and key of a wss server, checked: Throws PacecarError REQUEST_INVALID in plain words. */
export async function readServerIdentity(files: {
  readonly certFile: string;
  readonly keyFile: string;
}): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  const [cert, key] = await Promise.all([
    readPem('--tls-cert', files.certFile),
    readPem('--tls-key', files.keyFile),
  ]);
  const certificate = readCertificate(cert, files.certFile);
  if (!certificate.checkPrivateKey(readKey(key, files.keyFile)))
    throw unusable(
      `--tls-cert ${files.certFile} and --tls-key ${files.keyFile}`,
      'the key does not belong to the certificate; give the two files that were made together',
      null,
    );
  try {
    createSecureContext({ cert, key });
  } catch (thrown) {
    const { reason } = thrown as { readonly reason?: string };
    throw unusable(
      `--tls-cert ${files.certFile}`,
      `it is refused (${reason ?? systemReason(thrown)}); give another certificate with its key`,
      thrown,
    );
  }
  return { cert, key };
}

async function readPem(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (thrown) {
    throw unusable(`${flag} ${file}`, `${systemReason(thrown)}; give a PEM file`, thrown);
  }
}

function readCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (thrown) {
    throw unusable(
      `--tls-cert ${file}`,
      'it holds no PEM certificate; give a file that begins with -----BEGIN CERTIFICATE-----',
      thrown,
    );
  }
}

function readKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (thrown) {
    const encrypted = pem.includes('ENCRYPTED');
    throw unusable(
      `--tls-key ${file}`,
      encrypted
        ? 'the key is protected by a passphrase; give it without one (openssl pkey -in FILE -out PLAIN)'
        : 'it holds no PEM private key; give a file that begins with -----BEGIN PRIVATE KEY-----',
      thrown,
    );
  }
}

function unusable(what: string, why: string, cause: unknown): PacecarError {
  return new PacecarError('REQUEST_INVALID', `${what} cannot be used: ${why}`, { cause });
}
