import { LIMITS } from './limits.js';

/**
 * What is wrong with a text that is meant to be a token, in words that never repeat it; null if it can be one.
 * Whoever reads a token from outside asks here before anything is built of it.
 */
export function tokenProblem(token: string): string | null {
  if (token === '') return 'is empty; at least one character is needed';
  const bytes = new TextEncoder().encode(token).length;
  if (bytes > LIMITS.tokenBytes) return `has ${bytes} bytes; at most ${LIMITS.tokenBytes} are allowed`;
  if (/\p{Cc}/u.test(token)) return 'holds a control character; only printable ones are allowed';
  return null;
}
