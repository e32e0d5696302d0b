/** Widest line of `pacecar validate`: fits a terminal and a pull request. */
export const WIDTH = 100;

/** `label  text`, wrapped at blanks below the text's first column; a word that is too long is broken. */
export function labelled(label: string, text: string, indent: number, labelWidth: number): string[] {
  const start = indent + labelWidth + 1;
  const room = WIDTH - start;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((long) => pieces(long, room))) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  // A label that is a long name gets a line of its own.
  const head =
    label.length > labelWidth
      ? [...pieces(label, WIDTH - indent).map((piece) => ' '.repeat(indent) + piece)]
      : [];
  return [
    ...head,
    ...lines.map((part, index) =>
      `${' '.repeat(indent)}${(index === 0 && head.length === 0 ? label : '').padEnd(labelWidth)} ${part}`.trimEnd(),
    ),
  ];
}

function pieces(word: string, length: number): string[] {
  if (word.length <= length) return [word];
  const out: string[] = [];
  for (let start = 0; start < word.length; start += length) out.push(word.slice(start, start + length));
  return out;
}

/** 1234567 -> 1,234,567. Counts are exact, so every digit stands. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Data as a person may see it: control characters as escapes. */
export function printable(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) as number;
      return code < 32 || (code >= 127 && code < 160)
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : character;
    })
    .join('');
}

/** 55,900,000 -> 55.9 MB. */
export function roundBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`;
}
