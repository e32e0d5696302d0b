import { LIMITS } from './limits.js';

/**
 * What is wrong with a text that is meant to be a token, in words that never repeat it; null if it can be one.
 * Whoever reads a token from outside asks here before anything is built of it.
 */
export function tokenProblem(token: string): string | null {
  if (token === '') return 'is empty; at least one character is needed';
  if (new TextEncoder().encode(token).length > LIMITS.tokenBytes)
    return `is longer than the ${LIMITS.tokenBytes} bytes that are allowed`;
  if (/\p{Cc}/u.test(token)) return 'holds a control character; only printable ones are allowed';
  return null;
}
