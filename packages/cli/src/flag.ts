import { InvalidArgumentError } from 'commander';

/** Values of command line flags. Each parser gives the value or says what was found and what is allowed. */

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= minimum && value <= maximum))
      throw new InvalidArgumentError(`A whole number from ${minimum} to ${maximum} is needed.`);
    return value;
  };
}

export function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((word) => word === text);
    if (found === undefined) throw new InvalidArgumentError(`One of ${allowed.join(', ')} is needed.`);
    return found;
  };
}

/** `host:port`, `:port`, or `[::1]:port`. */
export function listenAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new InvalidArgumentError('An address such as 127.0.0.1:2103 or 0.0.0.0:2103 is needed.');
  return { host: match[1] ?? (match[2] === '' ? '127.0.0.1' : (match[2] as string)), port };
}

/** `ws://host:port` or `wss://host:port`, as the coordinator prints it. */
export function coordinatorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'ws:' && url.protocol !== 'wss:') || url.hostname === '')
    throw new InvalidArgumentError('An address such as ws://10.0.0.5:2103 or wss://10.0.0.5:2103 is needed.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('A token stands in a file (--token-file), never in the address.');
  return text;
}

/** Collects `name=value` of a flag that may be given several times. */
export function assignment(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [name, value] = nameAndValue(text);
  return { ...before, [name]: value };
}

/** Collects `name=n` of a flag that may be given several times. */
export function countAssignment(
  minimum: number,
  maximum: number,
): (text: string, before?: Readonly<Record<string, number>>) => Record<string, number> {
  const parse = wholeNumber(minimum, maximum);
  return (text, before = {}) => {
    const [name, value] = nameAndValue(text);
    return { ...before, [name]: parse(value) };
  };
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('name=value is needed.');
  return [text.slice(0, at), text.slice(at + 1)];
}
