import { TARGET_SCHEMES, type Target, type TargetScheme } from '@pacecar/protocol';
import { under } from './findings.js';
import type { Expanded, Span } from './properties.js';
import { readCount } from './quantity/count.js';
import type { Reader } from './reader.js';
import { entry } from './reader.js';
import type { SourceMapping, SourceNode, SourceScalar } from './source-tree.js';
import { TargetShape } from './written/scenario.js';

const FORMS = {
  redis:
    '`builtin`, redis://user:password@host:port/database, or a mapping { host, port, username, password, database }',
  memcached: 'memcached://host:port, or a mapping { host, port }',
  hazelcast: 'hazelcast://host:port, or a mapping { host, port }',
} as const satisfies Record<TargetScheme, string>;
const ANY_FORM =
  '`builtin`, redis://user:password@host:port/database, memcached://host:port, hazelcast://host:port, or a mapping ' +
  '{ host, port, username, password, database }';

/** Where a password was written down: what must be hidden wherever the text or the command line is kept. */
export interface SecretPlaces {
  /** Scalars of the file with the literal password in them. */
  readonly scalars: { readonly scalar: SourceScalar; readonly secret: string }[];
  /** Names of `--set`. */
  readonly sets: Set<string>;
  readonly warnings: string[];
}

/** A target, and what it speaks. */
export interface ReadTarget {
  readonly target: Target;
  readonly scheme: TargetScheme;
}

/** `wanted`: what the driver speaks; null: no driver was named, and the target decides. */
export function readTarget(
  node: SourceNode,
  path: string,
  wanted: TargetScheme | null,
  reader: Reader,
  secrets: SecretPlaces,
): ReadTarget | null {
  if (node.kind === 'mapping') return readMapping(node, path, wanted ?? 'redis', reader, secrets);
  const form = wanted === null ? ANY_FORM : FORMS[wanted];
  const expanded = reader.text(node, path, form);
  if (expanded === null) return null;
  const read = expanded.text === 'builtin' ? BUILTIN : readUrl(expanded, path, form, secrets);
  const fault = typeof read === 'string' ? read : misfit(read.scheme, wanted, expanded.text === 'builtin');
  if (typeof read !== 'string' && fault === null) return read;
  reader.findings.at(node.at, path, fault ?? '');
  return null;
}

const BUILTIN: ReadTarget = {
  scheme: 'redis',
  target: { kind: 'builtin', host: '127.0.0.1', port: 0, username: null, password: null, database: 0 },
};

function misfit(scheme: TargetScheme, wanted: TargetScheme | null, isBuiltin: boolean): string | null {
  if (wanted === null || wanted === scheme) return null;
  const what = isBuiltin
    ? 'the built-in target speaks the protocol of Redis'
    : `this is a ${scheme}:// target`;
  return `${what}, and the driver here speaks that of ${wanted}; allowed: ${FORMS[wanted]}, or another driver`;
}

function readMapping(
  node: SourceMapping,
  path: string,
  scheme: TargetScheme,
  reader: Reader,
  secrets: SecretPlaces,
): ReadTarget | null {
  const { port, hasUser, hasDatabase } = TARGET_SCHEMES[scheme];
  const mapping = reader.mapping(node, path, 'host, port, username, password, database');
  const fields = reader.fields(TargetShape, mapping, path);
  const password = entry(mapping, 'password');
  if (password !== undefined && fields.password !== undefined) {
    const place = under(path, 'password');
    const expanded = reader.text(password.value, place, 'a text');
    if (expanded !== null) notePassword(expanded.spans, place, secrets);
  }
  if (!hasUser && (fields.username || fields.password))
    reader.findings.of(
      under(path, fields.username ? 'username' : 'password'),
      `the driver for ${scheme} cannot log in; the server must let everybody in`,
      'UNSUPPORTED',
    );
  if (!hasDatabase && fields.database !== undefined)
    reader.findings.of(under(path, 'database'), `a ${scheme} has no databases; leave it out`);
  if (fields.host === undefined) return null;
  const host = hostProblem(fields.host);
  if (host !== null) reader.findings.of(under(path, 'host'), host);
  return {
    scheme,
    target: {
      kind: 'address',
      host: fields.host,
      port: fields.port ?? port,
      // Empty is none: `${env.PASSWORD:}` leaves the choice to the environment.
      username: fields.username || null,
      password: fields.password || null,
      database: fields.database ?? 0,
    },
  };
}

/** The target of a URL, or what is wrong with it, in words that do not repeat a password. */
function readUrl(expanded: Expanded, path: string, form: string, secrets: SecretPlaces): ReadTarget | string {
  const url = expanded.text;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const likely = likelyScheme(url, form);
    const bare = /^[\w.-]+(:\d+)?$/.test(url) ? `; did you mean ${likely}://${url}?` : '';
    return `not a target${bare}; allowed: ${form}`;
  }
  if (scheme === 'rediss') return 'TLS (rediss://) is not supported; allowed: redis://';
  if (!isScheme(scheme)) return `the scheme ${scheme}:// is unknown; allowed: ${form}`;
  const { port: defaultPort, hasUser, hasDatabase } = TARGET_SCHEMES[scheme];
  const rest = url.slice(scheme.length + 3);
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
  const address = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*))(?::(.*))?$/.exec(authority.slice(at + 1));
  const host = address?.[1] ?? address?.[2] ?? '';
  const fault = hostProblem(host);
  if (authority.slice(at + 1).split(':').length > 2 && !authority.slice(at + 1).startsWith('['))
    return `an IPv6 address stands in brackets: ${scheme}://[::1]:${defaultPort}`;
  if (address === null || fault !== null) return fault ?? 'the host cannot be read';
  const port = address[3] === undefined ? defaultPort : plainNumber(address[3], 1, 65_535);
  if (port === null) return 'the port is not a number from 1 to 65535';
  if (!hasDatabase && tail !== '' && tail !== '/')
    return `a ${scheme} has no databases: nothing stands after the host; settings go under \`settings\``;
  const database = tail === '' || tail === '/' ? 0 : plainNumber(tail.slice(1), 0, 1_000_000);
  if (database === null)
    return 'after the host only /database may stand, a number from 0 on; settings go under `settings`';
  if (user !== null && user.password !== null) {
    const start = scheme.length + 3 + authority.slice(0, at).indexOf(':') + 1;
    notePassword(cut(expanded.spans, start, scheme.length + 3 + at), path, secrets);
  }
  const target: Target = {
    kind: 'address',
    host,
    port,
    username: user?.username ?? null,
    password: user?.password ?? null,
    database,
  };
  return { target, scheme };
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

function hostProblem(host: string): string | null {
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

export function notePassword(spans: readonly Span[], path: string, secrets: SecretPlaces): void {
  let literal = false;
  for (const { text, origin } of spans) {
    if (origin.kind === 'set') {
      secrets.sets.add(origin.name);
      secrets.warnings.push(
        `${path}: the password comes from --set ${origin.name}, which other users of this machine can see; ` +
          'use ${env.NAME} instead',
      );
    }
    if (origin.kind !== 'file') continue;
    secrets.scalars.push({ scalar: origin.scalar, secret: text });
    literal = true;
  }
  if (literal) secrets.warnings.push(`${path}: a password stands in the file; use \${env.NAME} instead`);
}
