import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PacecarError, systemReason } from '@pacecar/protocol';

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * The PEM file of a certificate authority. Checked here, since TLS takes a file without certificates in silence and
 * then trusts nobody. Throws PacecarError REQUEST_INVALID.
 */
export async function readAuthority(file: string): Promise<Buffer> {
  let pem: Buffer;
  try {
    pem = await readFile(file);
  } catch (thrown) {
    throw unusable(file, systemReason(thrown), thrown);
  }
  const certificates = pem.toString('latin1').match(PEM_CERTIFICATE) ?? [];
  if (certificates.length === 0) throw unusable(file, 'it holds no PEM certificate', null);
  for (const [index, certificate] of certificates.entries())
    if (!isCertificate(certificate))
      throw unusable(file, `certificate ${index + 1} of ${certificates.length} in it is damaged`, null);
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function unusable(file: string, why: string, cause: unknown): PacecarError {
  return new PacecarError(
    'REQUEST_INVALID',
    `--ca ${file} cannot be used: ${why}; give the PEM certificate of the authority that signed the coordinator's`,
    { cause },
  );
}
