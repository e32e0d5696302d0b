/** How text stands on a terminal. Everything that comes from a bundle is data: none of it may steer the terminal. */

/** Controls (Cc), line separators (Zl, Zp), format marks that turn or hide writing (Cf), and halves of pairs (Cs). */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?!\u200d)\p{Cf}/gu;

/** Shows what cannot be printed as its code: an escape becomes \u001b. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns that `text` takes: 2 for East Asian wide characters and emoji, 0 for marks that combine. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/^(?:\p{Mn}|\p{Me}|\u200d)$/u.test(character)) continue;
    width += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

/** At most `most` columns; what is cut ends in an ellipsis. */
export function clip(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    const own = displayWidth(character);
    if (width + own > most - 1) break;
    kept += character;
    width += own;
  }
  return `${kept}\u2026`;
}

/** The blank between a figure and its unit, where no line may break. */
const BEFORE_UNIT = /(?<=\d) (?=(?:[num]?s|[KMGT]?i?B|%)(?![a-z]))/g;

/** Keeps a figure and its unit on one line, for readers that break lines themselves. */
export function unbroken(text: string): string {
  return text.replace(BEFORE_UNIT, '\u00a0');
}

/** Lines of at most `columns`, broken at blanks; a word that is longer is broken anywhere. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(BEFORE_UNIT, '\u0000').split(' ')) {
    let rest = word.replaceAll('\u0000', ' ');
    const joined = line === '' ? rest : `${line} ${rest}`;
    if (displayWidth(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    while (displayWidth(rest) > columns) {
      let head = '';
      for (const character of rest) {
        if (displayWidth(head + character) > columns) break;
        head += character;
      }
      if (head === '') break;
      lines.push(head);
      rest = rest.slice(head.length);
    }
    line = rest;
  }
  lines.push(line);
  return lines;
}

function isWide(code: number): boolean {
  return (
    code >= 0x1100 &&
    (code <= 0x115f ||
      (code >= 0x2e80 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) ||
      (code >= 0x1f300 && code <= 0x1faff) ||
      (code >= 0x20000 && code <= 0x3fffd))
  );
}
