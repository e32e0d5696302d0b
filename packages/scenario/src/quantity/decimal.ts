/** A written number, exact: digits / 10^scale. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** The number at the start of a text, and what follows it. */
export interface Leading {
  readonly number: Decimal;
  readonly rest: string;
}

const NUMBER = /^(\d+(?:_\d+)*)(?:\.(\d+(?:_\d+)*))?/;
/** Far more than 2^53 or any fraction needs; bounds the arithmetic. */
const MOST_DIGITS = 40;

/** Reads `4_000_000` or `1.5` at the start of the text; null if no number stands there. Underscores only between digits. */
export function leadingNumber(text: string): Leading | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const whole = (match[1] as string).replaceAll('_', '');
  const fraction = (match[2] ?? '').replaceAll('_', '');
  if (whole.length + fraction.length > MOST_DIGITS) return null;
  return {
    number: { digits: BigInt(whole + fraction), scale: fraction.length },
    rest: text.slice(match[0].length),
  };
}

/** number x factor as a bigint, or null if it is not whole. */
export function wholeProduct(number: Decimal, factor: bigint): bigint | null {
  const divisor = 10n ** BigInt(number.scale);
  const product = number.digits * factor;
  return product % divisor === 0n ? product / divisor : null;
}

/** number x factor / divisor as the nearest double. */
export function nearestQuotient(number: Decimal, factor: bigint, divisor: bigint): number {
  const below = divisor * 10n ** BigInt(number.scale);
  const above = number.digits * factor;
  // Whole part and remainder apart, so that no digit of the whole is lost to a wide fraction.
  return Number(above / below) + Number(above % below) / Number(below);
}

/** Shown in messages: quoted, cut, control characters as escapes, the password of a URL hidden. */
export function shown(text: string): string {
  const open = text.replace(/(:\/\/[^\s/@:]*:)\S*@/, '$1***@');
  const plain = [...open.slice(0, 200)]
    .map((character) => {
      const code = character.codePointAt(0) as number;
      return code < 32 || (code >= 127 && code < 160)
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : character;
    })
    .join('');
  return `"${plain.length > 60 ? `${plain.slice(0, 57)}...` : plain}"`;
}
