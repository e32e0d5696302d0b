import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { PacecarError, tokenProblem } from '@pacecar/protocol';

/** Throws PacecarError REQUEST_INVALID for an address that others can reach when there is no token to keep them out. */
export function checkListenAddress(host: string, token: string | null): void {
  const problem = token === null ? null : tokenProblem(token);
  if (problem !== null)
    throw new PacecarError('REQUEST_INVALID', `the token ${problem}; give another one, or none`);
  if (token === null && !isLoopback(host))
    throw new PacecarError(
      'REQUEST_INVALID',
      `--listen ${host} lets other machines in, so a token is required: give one with --token-file, or listen on 127.0.0.1`,
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
