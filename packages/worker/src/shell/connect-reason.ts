import { systemReason } from '@pacecar/protocol';

/** What OpenSSL says of a certificate chain that does not lead to an authority that is trusted. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Certain only for a peer that goes on like this: a coordinator that is just ending hangs up too. */
const HINT_AFTER_FAILURES = 3;

/** Why a certificate of the coordinator is not accepted, and the remedy; null for any other failure. */
export function distrustReason(
  failure: Error,
  { url, authorityFile }: { readonly url: string; readonly authorityFile: string | null },
): string | null {
  const { code } = failure as NodeJS.ErrnoException;
  const whose = `the certificate of the coordinator ${shown(url)}`;
  if (code === 'CERT_HAS_EXPIRED') return `${whose} has expired; start the coordinator with a new one`;
  if (code === 'CERT_NOT_YET_VALID')
    return `${whose} is not valid yet; compare the clocks of both machines, or start the coordinator with another one`;
  if (code === 'CERT_REVOKED') return `${whose} was revoked; start the coordinator with a new one`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${whose} is for another host; join by the name or address that it is made out to`;
  if (code === undefined || !UNTRUSTED.has(code)) return null;
  return authorityFile === null
    ? `${whose} is not trusted; give --ca FILE with the certificate of the authority that signed it (PEM)`
    : `${whose} is not trusted by the authority in --ca ${authorityFile}; give the file of the one that signed it`;
}

/** Why a connection to the coordinator failed; `failures` is how many in a row have. */
export function connectReason(failure: Error, url: string, failures: number): string {
  const { code } = failure as NodeJS.ErrnoException;
  const secure = url.startsWith('wss:');
  const said = failure.message === '' ? (code ?? 'unknown') : systemReason(failure);
  if (secure && (code?.startsWith('ERR_SSL_') === true || code === 'EPROTO'))
    return failures < HINT_AFTER_FAILURES
      ? 'what answers there does not speak TLS'
      : `what answers there does not speak TLS; a coordinator without --tls-cert is joined with ws://${shown(url)}`;
  if (!secure && code === 'ECONNRESET' && failures >= HINT_AFTER_FAILURES)
    return `${said}; a coordinator with --tls-cert is joined with wss://${shown(url)}`;
  return said;
}

function shown(url: string): string {
  return new URL(url).host;
}
