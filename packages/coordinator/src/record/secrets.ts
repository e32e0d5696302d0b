import { type Plan, SECRET_SHOWN, targetSecrets } from '@pacecar/protocol';

/** Every text of a run that must never be shown: the passwords of targets and services, and the workers' token. */
export function secretsOf(plan: Plan, token: string | null): string[] {
  const ofTargets = plan.configurations.flatMap(({ target }) => targetSecrets(target));
  const ofServices = (plan.services ?? []).map(({ password }) => password);
  return [...ofTargets, ...ofServices, token].filter(
    (secret) => secret !== null && secret !== '',
  ) as string[];
}

export type Redact = (text: string) => string;

/**
 * A shorter secret may be an ordinary word (`redis`). Replaced everywhere, it would leave `driver: ***` for all to
 * guess it from; so it is replaced only where a secret stands: in an address, as the value of a password or token,
 * and among the arguments that a target repeats. What is longer is no part of anything by chance.
 */
const ANYWHERE_FROM_LENGTH = 8;
/** How far before a short secret it is looked for what says that it is one. */
const CONTEXT_LENGTH = 200;

/**
 * Replaces every occurrence of a secret in a text by `***`, also where the text spells it in another way: percent
 * encoding (a password in an address), the escapes of JSON and YAML, a doubled single quote. It compares and builds no
 * pattern, so that no length of a secret can break it or show it in an error.
 */
export function redactor(secrets: readonly string[]): Redact {
  const spelled = [...new Set(secrets)].map((secret) => ({
    anywhere: secret.length >= ANYWHERE_FROM_LENGTH,
    characters: Array.from(secret, spellings),
  }));
  if (spelled.length === 0) return (text) => text;
  return (text) => {
    let out = '';
    let kept = 0;
    for (let at = 0; at < text.length; ) {
      // The longest: a secret that holds another must not leave its tail behind.
      let end = at;
      for (const { anywhere, characters } of spelled)
        for (const candidate of endsOf(characters, text, at))
          if (candidate > end && (anywhere || standsAsSecret(text, at, candidate))) end = candidate;
      if (end === at) {
        at++;
        continue;
      }
      out += text.slice(kept, at) + SECRET_SHOWN;
      at = end;
      kept = end;
    }
    return out + text.slice(kept);
  };
}

/** Where a spelling of the secret that begins at `at` may end. */
function endsOf(characters: readonly (readonly Spelling[])[], text: string, at: number): Iterable<number> {
  let ends = new Set([at]);
  for (const forms of characters) {
    const next = new Set<number>();
    for (const start of ends)
      for (const form of forms) if (reads(form, text, start)) next.add(start + form.text.length);
    if (next.size === 0) return next;
    ends = next;
  }
  return ends;
}

/** Whether the text from `at` to `end` is where a secret is written. */
function standsAsSecret(text: string, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, at - CONTEXT_LENGTH), at);
  const after = text.slice(end, end + 1);
  if (after === '@' && /:\/\/[^/@\s]*:$/.test(before)) return true;
  if (/(?:password|passwd|auth|token|secret)["']?\s{0,8}[:=]\s{0,8}["']?$/i.test(before))
    return /^(?:["'\s,}\]]|)$/.test(after);
  return /with args beginning with:[^\n]*['"`]$/i.test(before) && /^['"`]$/.test(after);
}

/** One way to write a character; `hex`: the digits behind its mark may be of either case. */
interface Spelling {
  readonly text: string;
  readonly hex: boolean;
}

function reads({ text: form, hex }: Spelling, text: string, at: number): boolean {
  if (text.startsWith(form, at)) return true;
  if (!hex || text.length < at + form.length || text[at] !== form[0]) return false;
  for (let index = 0; index < form.length; index++) {
    const found = text[at + index] as string;
    const wanted = form[index] as string;
    if (found !== wanted && !(/[a-f]/.test(wanted) && found === wanted.toUpperCase())) return false;
  }
  return true;
}

function spellings(character: string): Spelling[] {
  const code = character.codePointAt(0) as number;
  const forms: Spelling[] = [
    { text: character, hex: false },
    { text: percentEncoded(character), hex: true },
    { text: `\\U${hexDigits(code, 8)}`, hex: true },
    { text: unicodeEscaped(character), hex: true },
  ];
  if (code < 256) forms.push({ text: `\\x${hexDigits(code, 2)}`, hex: true });
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) forms.push({ text: `\\${short}`, hex: false });
  if (character === "'") forms.push({ text: "''", hex: false });
  return forms;
}

/** What stands after a backslash in JSON and YAML. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  '"': '"',
  '/': '/',
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
  let escaped = '';
  for (let i = 0; i < character.length; i++) escaped += `\\u${hexDigits(character.charCodeAt(i), 4)}`;
  return escaped;
}

function hexDigits(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}
