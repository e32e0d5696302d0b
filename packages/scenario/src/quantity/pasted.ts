/**
 * Characters that word processors and web pages put in place of plain ones. They look right and are not; a message
 * that only repeats them helps nobody, so each is named.
 */
const PASTED: readonly { readonly code: number; readonly name: string; readonly instead: string }[] = [
  { code: 0x00a0, name: 'a no-break space', instead: 'a plain space' },
  { code: 0x2007, name: 'a figure space', instead: 'a plain space' },
  { code: 0x2009, name: 'a thin space', instead: 'a plain space' },
  { code: 0x202f, name: 'a narrow no-break space', instead: 'a plain space' },
  { code: 0x200b, name: 'a zero-width space', instead: 'nothing' },
  { code: 0xfeff, name: 'a byte order mark', instead: 'nothing' },
  { code: 0x2010, name: 'a typographic hyphen', instead: '-' },
  { code: 0x2011, name: 'a no-break hyphen', instead: '-' },
  { code: 0x2013, name: 'an en dash', instead: '- (a range is written 100..1000)' },
  { code: 0x2014, name: 'an em dash', instead: '-' },
  { code: 0x2212, name: 'a minus sign', instead: '-' },
  { code: 0x2018, name: 'a curly quote', instead: "'" },
  { code: 0x2019, name: 'a curly quote', instead: "'" },
  { code: 0x201c, name: 'a curly quote', instead: '"' },
  { code: 0x201d, name: 'a curly quote', instead: '"' },
  { code: 0x2026, name: 'an ellipsis', instead: '..' },
];

const ANY = new RegExp(`[${PASTED.map(({ code }) => String.fromCharCode(code)).join('')}]`);

/** A sentence about the first such character in the text, or null. */
export function pastedHint(text: string): string | null {
  const character = ANY.exec(text)?.[0];
  const found = PASTED.find(({ code }) => code === character?.charCodeAt(0));
  if (found === undefined) return null;
  const code = found.code.toString(16).toUpperCase().padStart(4, '0');
  return `it contains ${found.name} (U+${code}), as text copied from a web page does; write ${found.instead}`;
}
