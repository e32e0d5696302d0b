/** A line of a terminal: pieces of text, each with a style, that can be cut to a width before it is coloured. */
export type Style = 'plain' | 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
export interface Piece {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly Piece[];

const CODES: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  red: '31',
  yellow: '33',
  green: '32',
  cyan: '36',
};

export function piece(text: string, style: Style = 'plain'): Piece {
  return { text, style };
}

/** Columns that the line takes on a terminal. */
export function lineWidth(line: Line): number {
  let width = 0;
  for (const { text } of line) for (const character of text) width += characterWidth(character);
  return width;
}

/** The line as written to a terminal of `columns`: cut, never wrapped, since a wrapped line cannot be redrawn. */
export function renderLine(line: Line, columns: number, color: boolean): string {
  let left = columns;
  let rendered = '';
  for (const { text, style } of line) {
    let kept = '';
    for (const character of text) {
      const width = characterWidth(character);
      if (width > left) {
        left = 0;
        break;
      }
      left -= width;
      kept += character;
    }
    if (kept !== '') rendered += color && style !== 'plain' ? `\x1b[${CODES[style]}m${kept}\x1b[0m` : kept;
    if (left <= 0) break;
  }
  return rendered;
}

/** East Asian and emoji characters take two columns, combining marks none. */
function characterWidth(character: string): number {
  const code = character.codePointAt(0) as number;
  if (code < 0x300) return 1;
  if (/\p{Mark}/u.test(character) || code === 0x200b || code === 0x200d) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}
