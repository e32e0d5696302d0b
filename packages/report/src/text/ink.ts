/** Colours of the terminal. They only repeat what the words say. */
export type Ink = (tone: Tone, text: string) => string;
export type Tone = 'plain' | 'bold' | 'dim' | 'good' | 'warn' | 'bad';

const CODES: Readonly<Record<Tone, readonly [string, string]>> = {
  plain: ['', ''],
  bold: ['\u001b[1m', '\u001b[22m'],
  dim: ['\u001b[2m', '\u001b[22m'],
  good: ['\u001b[1;32m', '\u001b[0m'],
  warn: ['\u001b[1;33m', '\u001b[0m'],
  bad: ['\u001b[1;31m', '\u001b[0m'],
};

export function inkFor(color: boolean): Ink {
  if (!color) return (_tone, text) => text;
  return (tone, text) => (text === '' ? '' : `${CODES[tone][0]}${text}${CODES[tone][1]}`);
}
