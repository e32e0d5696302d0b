import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions, createSecureContext } from 'node:tls';
import { isPem, PacecarError, systemReason, type Target } from '@pacecar/protocol';

/** What a connection is encrypted by. */
export type Secure = Pick<
  ConnectionOptions,
  'secureContext' | 'servername' | 'rejectUnauthorized' | 'checkServerIdentity'
>;

/**
 * What the target says of TLS, with files read; null: nothing is encrypted. Throws PacecarError REQUEST_INVALID for
 * what cannot be read.
 */
export function secureOf(target: Target): Secure | null {
  const ofService = target.nodes?.find(({ certificateAuthority }) => certificateAuthority !== null);
  const authority = ofService?.certificateAuthority ?? null;
  const tls =
    target.tls ??
    (authority === null ? null : { ca: authority, cert: null, key: null, serverName: null, verify: true });
  if (tls === null) return null;
  const { serverName } = tls;
  const given = {
    ...(tls.ca === null ? {} : { ca: pemOf(tls.ca, 'ca') }),
    ...(tls.cert === null ? {} : { cert: pemOf(tls.cert, 'cert') }),
    ...(tls.key === null ? {} : { key: pemOf(tls.key, 'key') }),
  };
  try {
    return {
      secureContext: createSecureContext(given),
      rejectUnauthorized: tls.verify,
      ...(serverName !== null && isIP(serverName) === 0 ? { servername: serverName } : {}),
      ...(serverName === null
        ? {}
        : { checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate) }),
    };
  } catch (thrown) {
    const what = Object.keys(given).join(', ');
    throw new PacecarError(
      'REQUEST_INVALID',
      `the tls of the target (${what}) cannot be used: ${(thrown as Error).message}`,
    );
  }
}

function pemOf(text: string, name: string): string {
  if (isPem(text)) return text;
  try {
    const read = readFileSync(text, 'utf8');
    if (isPem(read)) return read;
  } catch (thrown) {
    throw new PacecarError(
      'REQUEST_INVALID',
      `the file ${text} (tls: ${name}) cannot be read on this worker: ${systemReason(thrown)}`,
    );
  }
  throw new PacecarError('REQUEST_INVALID', `the file ${text} (tls: ${name}) is no PEM file`);
}

const REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew it, or say tls: { verify: false } for a test',
  ERR_TLS_CERT_ALTNAME_INVALID: 'say whose it is by tls: { serverName: NAME }, or use that name as host',
  EPROTO: 'does the port speak TLS? without it the scheme is redis://',
  ECONNRESET: 'does the port speak TLS? without it the scheme is redis://',
};
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

/** Why a connection with TLS could not be made, with what to do about it. */
export function secureReason(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (UNTRUSTED.has(code))
    return `its certificate does not verify: ${error.message}; name its authority by tls: { ca: FILE }`;
  const remedy = REMEDIES[code];
  const seen =
    code.startsWith('CERT_') || code.startsWith('ERR_TLS_CERT') ? 'its certificate does not verify: ' : '';
  return `${seen}${error.message.replace(/\s*\n\s*/g, ' ').slice(0, 300)}${remedy === undefined ? '' : `; ${remedy}`}`;
}
