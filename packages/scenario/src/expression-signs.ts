/**
 * `{ keys: ${keys} }` is no YAML: inside a flow mapping, braces, commas and colons end a plain text. Before YAML sees
 * the text, the signs inside each `${...}` are replaced, one for one, by characters that the text does not use, so that
 * every position stays true; afterwards they are put back.
 */
const SIGNS = ['{', '}', '[', ']', ',', ':', '#', '&', '*', '!', '|', '>', '%', '@', '`', '?', '-', '"', "'"];
/** Private-use characters: allowed in YAML and meaning nothing. */
const FIRST_PRIVATE = 0xe000;
const LAST_PRIVATE = 0xf8ff;

export class ExpressionSigns {
  /** The text for the YAML parser: same length, same lines. */
  readonly hidden: string;
  readonly #stands: string;

  constructor(text: string) {
    this.#stands = unused(text);
    // An expression lies on one line and holds no brace of its own.
    this.hidden = text.replaceAll(/\$\{[^{}\n]*\}/g, (expression) => `$${this.#hide(expression.slice(1))}`);
  }

  #hide(expression: string): string {
    return [...expression]
      .map((c) => (SIGNS.includes(c) ? this.#stands.charAt(SIGNS.indexOf(c)) : c))
      .join('');
  }

  /** The text as the author wrote it. */
  shown(text: string): string {
    let out = '';
    for (const character of text) {
      const sign = this.#stands.indexOf(character);
      out += sign === -1 ? character : SIGNS[sign];
    }
    return out;
  }
}

/** One run of private-use characters that the text does not contain. */
function unused(text: string): string {
  for (let first = FIRST_PRIVATE; first + SIGNS.length <= LAST_PRIVATE; first += SIGNS.length) {
    const stands = SIGNS.map((_, index) => String.fromCharCode(first + index)).join('');
    if (![...stands].some((character) => text.includes(character))) return stands;
  }
  // Only a text made to use all 6400 of them gets here; its own such characters would be taken for signs.
  return SIGNS.join('');
}
