import { PacecarError, type Target } from '@pacecar/protocol';

/** `host:port` as people write it. */
export function addressOf(target: Pick<Target, 'host' | 'port' | 'socket'>): string {
  if (target.socket !== undefined) return target.socket;
  return target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
}

/** Why a connection could not be opened: never reached, or reached and silent. `protocol`: what it should speak. */
export function notOpened(
  target: Target,
  why: { readonly connected: boolean; readonly timeoutMs: number | null; readonly reason: string },
  protocol: string,
): PacecarError {
  const at = addressOf(target);
  if (why.timeoutMs === null)
    return new PacecarError(
      'TARGET_UNREACHABLE',
      `the target ${at} ${why.connected ? 'ended a new connection' : 'cannot be reached'}: ${why.reason}`,
    );
  if (!why.connected)
    return new PacecarError(
      'TARGET_UNREACHABLE',
      `the target ${at} cannot be reached: no connection within ${why.timeoutMs} ms` +
        (target.tls === undefined ? '' : '; does the port speak TLS? without it the scheme is redis://'),
    );
  return new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${at} took the connection but did not answer within ${why.timeoutMs} ms; does it speak ${protocol}?`,
  );
}
