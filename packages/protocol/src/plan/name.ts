import { z } from 'zod';
import { LIMITS } from '../limits.js';

/** Names of groups, configurations, stages ... Data, not code: any printable text; escaped wherever it is shown. */
export const NameSchema = z
  .string()
  .min(1)
  .max(LIMITS.nameLength)
  .refine((name) => !hasControlCharacter(name), 'a name has no control characters')
  .describe('Any printable text: it is data, and whoever shows it escapes it.');

function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}
