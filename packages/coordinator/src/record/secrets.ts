import { type Plan, SECRET_SHOWN } from '@pacecar/protocol';

/** Every text of a run that must never be shown: the targets' passwords and the workers' token. */
export function secretsOf(plan: Plan, token: string | null): string[] {
  const secrets = plan.configurations.map((configuration) => configuration.target.password);
  return [...secrets, token].filter((secret) => secret !== null && secret !== '') as string[];
}

export type Redact = (text: string) => string;

/**
 * Replaces every occurrence of a secret in a text by `***`, also where the text spells it in another way: percent
 * encoding (a password in an address), the escapes of JSON and YAML, a doubled single quote.
 */
export function redactor(secrets: readonly string[]): Redact {
  // The longest first: a secret that holds another must not leave its tail behind.
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(spellings);
  if (patterns.length === 0) return (text) => text;
  const expression = new RegExp(patterns.join('|'), 'gu');
  return (text) => text.replace(expression, SECRET_SHOWN);
}

/** Seen as a pattern: each character of the secret in any of its spellings. */
function spellings(secret: string): string {
  return Array.from(secret, characterSpellings).join('');
}

function characterSpellings(character: string): string {
  const code = character.codePointAt(0) as number;
  const forms = [percentEncoded(character), `\\\\U${hexDigits(code, 8)}`, unicodeEscaped(character)];
  if (code < 256) forms.push(`\\\\x${hexDigits(code, 2)}`);
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) forms.push(`\\\\${short}`);
  if (character === "'") forms.push("''");
  forms.push(character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return `(?:${forms.join('|')})`;
}

/** What stands after a backslash in JSON and YAML, as a pattern. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '"',
  '/': '\\/',
  ' ': ' ',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${hexDigits(byte, 2)}`).join('');
}

/** UTF-16 code units, as JSON spells them. */
function unicodeEscaped(character: string): string {
  let pattern = '';
  for (let i = 0; i < character.length; i++) pattern += `\\\\u${hexDigits(character.charCodeAt(i), 4)}`;
  return pattern;
}

/** A number in hex of either case, as a pattern. */
function hexDigits(value: number, width: number): string {
  return value
    .toString(16)
    .padStart(width, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
