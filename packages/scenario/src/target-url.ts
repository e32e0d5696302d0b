import {
  type Address,
  DATABASE_NAME,
  TARGET_SCHEMES,
  type Target,
  type TargetScheme,
  type Tls,
} from '@pacecar/protocol';
import type { Expanded, Span } from './properties.js';
import { readCount } from './quantity/count.js';
import { shown } from './quantity/decimal.js';
import { notePassword, type SecretPlaces } from './secret-places.js';

export const FORMS = {
  redis:
    '`builtin`, redis://user:password@host:port/database, rediss:// for TLS, redis+unix:///path, or a mapping ' +
    '{ host, port, username, password, database, addresses, socket, tls }',
  memcached: 'memcached://host:port, or a mapping { host, port }',
  hazelcast: 'hazelcast://host:port, or a mapping { host, port }',
  mongodb:
    'mongodb://user:password@host:port/database, or a mapping { host, port, username, password, database, addresses }',
} as const satisfies Record<TargetScheme, string>;
export const ANY_FORM =
  '`builtin`, redis://user:password@host:port/database, rediss:// for TLS, redis+unix:///path, ' +
  'memcached://host:port, hazelcast://host:port, mongodb://user:password@host:port/database, ' +
  'or a mapping { host, port, username, password, database, addresses, socket, tls }';

/** A target, and what it speaks. */
export interface ReadTarget {
  readonly target: Target;
  readonly scheme: TargetScheme;
}

/** TLS as it is meant where nothing more is said. */
export const PLAIN_TLS: Tls = { ca: null, cert: null, key: null, serverName: null, verify: true };

/** The target of a URL, or what is wrong with it, in words that do not repeat a password. */
export function readTargetUrl(
  expanded: Expanded,
  path: string,
  form: string,
  secrets: SecretPlaces,
): ReadTarget | string {
  const url = expanded.text;
  const written = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase();
  if (written === undefined) {
    const likely = likelyScheme(url, form);
    const bare = /^[\w.-]+(:\d+)?$/.test(url) ? `; did you mean ${likely}://${url}?` : '';
    return `not a target${bare}; allowed: ${form}`;
  }
  if (written === 'redis+unix' || written === 'unix') return readSocket(url.slice(written.length + 3));
  const isTls = written === 'rediss';
  const scheme = isTls ? 'redis' : written;
  if (!isScheme(scheme)) return `the scheme ${written}:// is unknown; allowed: ${form}`;
  const { port: defaultPort, hasUser, hasNodes } = TARGET_SCHEMES[scheme];
  const rest = url.slice(written.length + 3);
  const slash = rest.search(/[/?#]/);
  const authority = slash === -1 ? rest : rest.slice(0, slash);
  const tail = slash === -1 ? '' : rest.slice(slash);
  if (tail.includes('@'))
    return 'a user or password with / ? or # in it stands in a mapping, or percent-encoded (%2F %3F %23)';
  // The last @ ends the user's part, so that a password with an @ of its own is not taken for a host.
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? null : readUser(authority.slice(0, at));
  if (typeof user === 'string') return user;
  if (user !== null && !hasUser)
    return `the driver for ${scheme} cannot log in: a target of it has no user and no password`;
  const addresses = readAddresses(authority.slice(at + 1), defaultPort, written);
  if (typeof addresses === 'string') return addresses;
  const [first] = addresses;
  if (first === undefined) return 'the host is missing';
  if (addresses.length > 1 && !hasNodes) return `the driver for ${scheme} has one address`;
  const database = readDatabase(tail.slice(1), scheme);
  if (typeof database === 'string')
    return `after the host only /database may stand: ${database}; settings go under \`settings\``;
  if (user !== null && user.password !== null) {
    const start = written.length + 3 + authority.slice(0, at).indexOf(':') + 1;
    notePassword(cut(expanded.spans, start, written.length + 3 + at), path, secrets);
  }
  const target: Target = {
    kind: 'address',
    ...first,
    username: user?.username ?? null,
    password: user?.password ?? null,
    ...database,
    ...(addresses.length > 1 ? { addresses } : {}),
    ...(isTls ? { tls: PLAIN_TLS } : {}),
  };
  return { target, scheme };
}

/** What a target has of a database that was written down, or what is wrong with it. Empty: none was. */
export function readDatabase(
  text: string,
  scheme: TargetScheme,
): Pick<Target, 'database' | 'databaseName'> | string {
  if (text === '') return { database: 0 };
  const { databases } = TARGET_SCHEMES[scheme];
  if (databases === null) return `a ${scheme} has no databases; leave it out`;
  if (databases === 'names')
    return DATABASE_NAME.test(text)
      ? { database: 0, databaseName: text }
      : `${shown(text)} is no name of a database; allowed: up to 63 characters, none of them a blank or / \\ . " $ * < > : | ?`;
  const database = plainNumber(text, 0, 1_000_000);
  return database === null
    ? `${shown(text)} is no number of a database; allowed: 0 to 1000000`
    : { database };
}

/** `host:port`, or several with commas between; or what is wrong with them. */
export function readAddresses(text: string, defaultPort: number, scheme: string): Address[] | string {
  const addresses: Address[] = [];
  for (const part of text.split(',')) {
    if (part.split(':').length > 2 && !part.startsWith('['))
      return `an IPv6 address stands in brackets: ${scheme}://[::1]:${defaultPort}`;
    const address = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*))(?::(.*))?$/.exec(part);
    const host = address?.[1] ?? address?.[2] ?? '';
    const fault = hostProblem(host);
    if (address === null || fault !== null) return fault ?? 'the host cannot be read';
    const port = address[3] === undefined ? defaultPort : plainNumber(address[3], 1, 65_535);
    if (port === null) return 'the port is not a number from 1 to 65535';
    addresses.push({ host, port });
  }
  return addresses;
}

function readSocket(path: string): ReadTarget | string {
  if (!path.startsWith('/') || path.length === 1)
    return 'a unix socket has an absolute path: redis+unix:///run/redis.sock';
  if (/[?#]/.test(path))
    return 'after the path of a socket nothing stands; database and password go into a mapping { socket, database, password }';
  if (path.length > 1_000) return 'the path of the socket is longer than 1000 characters';
  const none = { username: null, password: null, database: 0 };
  return {
    scheme: 'redis',
    target: { kind: 'address', host: 'localhost', port: 0, ...none, socket: path },
  };
}

/** Of an address without a scheme: what the driver speaks, or else what usually answers at its port. */
function likelyScheme(url: string, form: string): TargetScheme {
  const schemes = Object.keys(TARGET_SCHEMES) as TargetScheme[];
  return (
    schemes.find((scheme) => form === FORMS[scheme]) ??
    schemes.find((scheme) => url.endsWith(`:${TARGET_SCHEMES[scheme].port}`)) ??
    'redis'
  );
}

function isScheme(text: string): text is TargetScheme {
  return Object.hasOwn(TARGET_SCHEMES, text);
}

function readUser(text: string): { username: string | null; password: string | null } | string {
  const colon = text.indexOf(':');
  const parts = colon === -1 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
  try {
    const [username, password] = parts.map((part) =>
      part === null || part === '' ? null : decodeURIComponent(part),
    );
    return { username: username ?? null, password: password ?? null };
  } catch {
    return 'the user or password has a % that is no escape; write a plain % as %25';
  }
}

export function hostProblem(host: string): string | null {
  if (host === '') return 'the host is missing';
  if (
    host.length > 253 ||
    /[\s/@?#\\]/.test(host) ||
    [...host].some((c) => (c.codePointAt(0) as number) < 33)
  )
    return 'the host has characters that no host name has, or is longer than 253';
  return null;
}

function plainNumber(text: string, minimum: number, maximum: number): number | null {
  if (!/^\d+$/.test(text)) return null;
  const count = readCount(text, { minimum, maximum });
  return count.ok ? count.value : null;
}

/** The part of the spans between two offsets of their joined text. */
function cut(spans: readonly Span[], start: number, end: number): Span[] {
  const out: Span[] = [];
  let offset = 0;
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    if (text !== '') out.push({ text, origin: span.origin });
    offset += span.text.length;
  }
  return out;
}
