import { printable } from '../text/width.js';

/** Text that is HTML already. Only `markup` makes it, so nothing from a bundle gets in unescaped. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

export type Content = Markup | string | number | null | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For element content and quoted attributes. Characters that hide or turn writing show as their code. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Template whose interpolations are escaped: markup`<td>${name}</td>`. Lists are joined, null is nothing. */
export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let html = parts[0] ?? '';
  values.forEach((value, index) => {
    html += render(value) + (parts[index + 1] ?? '');
  });
  return new Markup(html);
}

/** A text of several lines, for <pre>: line breaks and tabs stay. */
export function preformatted(text: string): Markup {
  const lines = text.split(/\r?\n/).map((line) => line.split('\t').map(escapeHtml).join('\t'));
  return new Markup(lines.join('\n'));
}

/** JSON that may stand inside a <script> element, whatever its strings hold. */
export function jsonForScript(value: unknown): Markup {
  const codes = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Markup(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, codes));
}

function render(value: Content): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.html;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(render).join('');
}
