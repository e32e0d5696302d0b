import { shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';
import { refusePasted } from './refusal.js';

export const KEY_TEMPLATE_FORM = '"user:__n__:profile", or "user:{__n__}:profile" to pin a slot';
const NUMBER = '__n__';
const LONGEST = 1_000;

/** What stands around the number of a key. */
export interface KeyTemplate {
  readonly prefix: string;
  readonly suffix: string;
}

/** A key with `__n__` in place of its number: `user:__n__:profile`. */
export function readKeyTemplate(text: string): Reading<KeyTemplate> {
  const pasted = refusePasted(text, 'a key template', KEY_TEMPLATE_FORM);
  if (pasted !== null) return pasted;
  const [prefix = '', suffix, ...more] = text.split(NUMBER);
  if (suffix === undefined)
    return bad(`${shown(text)} does not say where the number stands; write ${KEY_TEMPLATE_FORM}`);
  if (more.length > 0)
    return bad(`${shown(text)} has ${more.length + 2} pieces around ${NUMBER}; a key has one number`);
  const other = /__[a-z][a-z0-9_]*__/i.exec(prefix + suffix)?.[0];
  if (other !== undefined)
    return bad(`${shown(text)} has ${other}, which is no placeholder of a key; allowed: ${NUMBER}`);
  if (prefix.length > LONGEST || suffix.length > LONGEST)
    return bad(`${shown(text)} has more than ${LONGEST} characters on one side of ${NUMBER}`);
  return good({ prefix, suffix });
}
