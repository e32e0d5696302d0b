import { shown } from './decimal.js';
import { pastedHint } from './pasted.js';
import { bad } from './reading.js';

/** `"10x" is not a duration: write it as 10s ...`, with a hint where the text was pasted from a web page. */
export function refuse(text: string, kind: string, allowed: string, hint?: string) {
  const pasted = pastedHint(text);
  const parts = [`${shown(text)} is not ${kind}`];
  if (pasted !== null) parts.push(pasted);
  else if (hint !== undefined) parts.push(hint);
  parts.push(`allowed: ${allowed}`);
  return bad(parts.join('; '));
}

/** Refuses what would look right and be wrong: a dash or a blank that is not the plain one. Null if there is none. */
export function refusePasted(text: string, kind: string, allowed: string) {
  return pastedHint(text) === null ? null : refuse(text, kind, allowed);
}
