import { ERROR_KIND } from '@pacecar/protocol';

/** By which an error is counted: the first word of what the target said, if it is one, and ERR for everything else. */
export function errorKindOf(text: string): string {
  const space = text.indexOf(' ');
  const word = space < 0 ? text : text.slice(0, space);
  return ERROR_KIND.test(word) ? word : 'ERR';
}
