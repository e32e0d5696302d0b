import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { PacecarError, systemReason } from '@pacecar/protocol';
import type { Workshop } from '../recipe.js';

/** What a server shows, and what its clients check it by; full paths and PEM. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
  readonly authority: string;
}

/** A certificate for `host`, signed by itself and good for two days: for tests and measurements, not for trust. */
export async function makeCertificate(workshop: Workshop, host: string): Promise<Certificate> {
  const openssl = workshop.program(
    ['openssl'],
    'apt-get install openssl (macOS: brew install openssl), or give certificate files',
  );
  const certificateFile = join(workshop.directory, 'server.crt');
  const keyFile = join(workshop.directory, 'server.key');
  const alternative = `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`;
  await workshop.run(
    openssl,
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=pacecar service', '-addext', `subjectAltName=${alternative}`],
      ...['-keyout', keyFile, '-out', certificateFile],
    ],
    'making a certificate',
  );
  return {
    certificateFile,
    keyFile,
    authorityFile: certificateFile,
    authority: await readPem(certificateFile),
  };
}

/** The files of a person's own certificate on the worker's machine. */
export async function givenCertificate(files: Omit<Certificate, 'authority'>): Promise<Certificate> {
  await readPem(files.certificateFile);
  await readPem(files.keyFile);
  return { ...files, authority: await readPem(files.authorityFile) };
}

async function readPem(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new PacecarError('SERVICE_FAILED', `${path} cannot be read: ${systemReason(thrown)}`);
  }
  if (!text.includes('-----BEGIN ')) throw new PacecarError('SERVICE_FAILED', `${path} is no PEM file`);
  return text;
}
