import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { PacecarError } from '@pacecar/protocol';

/** Throws PacecarError REQUEST_INVALID for an address that others can reach when there is no token to keep them out. */
export function checkListenAddress(host: string, token: string | null): void {
  if (token === '')
    throw new PacecarError(
      'REQUEST_INVALID',
      'the token is empty: give one of at least one character, or none',
    );
  if (token === null && !isLoopback(host))
    throw new PacecarError(
      'REQUEST_INVALID',
      `listening on ${host} lets other machines in, so a token is required: give one, or listen on 127.0.0.1`,
    );
}

/** Only what is loopback for certain: other names may resolve to anything. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  if (isIP(host) === 4) return host.startsWith('127.');
  if (isIP(host) === 6) return host === '::1' || host.toLowerCase().startsWith('::ffff:127.');
  return false;
}

/** What to tell workers to join. An address that means `every interface` is shown as this machine's name. */
export function joinUrl(host: string, port: number, secure: boolean): string {
  const wildcard = host === '0.0.0.0' || host === '::';
  const shown = wildcard ? hostname() : isIP(host) === 6 ? `[${host}]` : host;
  return `${secure ? 'wss' : 'ws'}://${shown}:${port}`;
}
