import { type Address, TARGET_SCHEMES, type Target, type TargetScheme } from '@pacecar/protocol';
import { under } from './findings.js';
import type { Fields, Reader } from './reader.js';
import { entry } from './reader.js';
import { notePassword, type SecretPlaces } from './secret-places.js';
import type { SourceMapping, SourceNode } from './source-tree.js';
import {
  ANY_FORM,
  FORMS,
  hostProblem,
  readAddresses,
  readDatabase,
  type ReadTarget,
  readTargetUrl,
} from './target-url.js';
import { readTls } from './target-tls.js';
import { TargetShape } from './written/target.js';

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
  const read = expanded.text === 'builtin' ? BUILTIN : readTargetUrl(expanded, path, form, secrets);
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
  const { hasUser } = TARGET_SCHEMES[scheme];
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
  const database = readDatabase(fields.database ?? '', scheme);
  if (typeof database === 'string') reader.findings.of(under(path, 'database'), database);
  refuseLacking(mapping, path, scheme, reader);
  const tls = readTls(entry(mapping, 'tls')?.value, under(path, 'tls'), reader, secrets);
  const place = placeOf(fields, mapping, path, scheme, reader);
  if (place === null || tls === null || typeof database === 'string') return null;
  return {
    scheme,
    target: {
      kind: 'address',
      ...place,
      // Empty is none: `${env.PASSWORD:}` leaves the choice to the environment.
      username: fields.username || null,
      password: fields.password || null,
      ...database,
      ...(tls === 'none' ? {} : { tls }),
    },
  };
}

const LACKING = [
  { key: 'tls', has: 'hasTls', what: 'TLS' },
  { key: 'socket', has: 'hasSocket', what: 'unix sockets' },
  { key: 'addresses', has: 'hasNodes', what: 'several addresses' },
] as const;

function refuseLacking(
  mapping: SourceMapping | null,
  path: string,
  scheme: TargetScheme,
  reader: Reader,
): void {
  for (const { key, has, what } of LACKING)
    if (!TARGET_SCHEMES[scheme][has] && entry(mapping, key) !== undefined)
      reader.findings.of(under(path, key), `the driver for ${scheme} has no ${what}`, 'UNSUPPORTED');
}

type Place = Pick<Target, 'host' | 'port' | 'addresses' | 'socket'>;

/** Exactly one of host, addresses and socket says where it is. */
function placeOf(
  fields: Pick<Fields<typeof TargetShape>, 'host' | 'port' | 'socket'>,
  mapping: SourceMapping | null,
  path: string,
  scheme: TargetScheme,
  reader: Reader,
): Place | null {
  const { findings } = reader;
  const { port } = TARGET_SCHEMES[scheme];
  const list = entry(mapping, 'addresses');
  const written = ['host', 'addresses', 'socket'].filter((key) => entry(mapping, key) !== undefined);
  if (written.length === 0) {
    findings.of(
      path,
      'the key "host" is missing; write for example `host: 10.0.0.5`, or addresses or socket',
    );
    return null;
  }
  if (written.length > 1) {
    findings.of(path, `${written.join(' and ')} exclude each other: a target is in one place`);
    return null;
  }
  if (written[0] !== 'host' && fields.port !== undefined) {
    findings.of(under(path, 'port'), `a port goes with host; ${written[0]} says it already`);
    return null;
  }
  if (list !== undefined) return readList(list.value, under(path, 'addresses'), scheme, reader);
  if (fields.socket !== undefined) {
    if (fields.socket.startsWith('/')) return { host: 'localhost', port: 0, socket: fields.socket };
    findings.of(under(path, 'socket'), 'the path of a socket begins with /');
    return null;
  }
  if (fields.host === undefined) return null;
  const fault = hostProblem(fields.host);
  if (fault !== null) findings.of(under(path, 'host'), fault);
  return { host: fields.host, port: fields.port ?? port };
}

function readList(node: SourceNode, path: string, scheme: TargetScheme, reader: Reader): Place | null {
  const { port } = TARGET_SCHEMES[scheme];
  const items = reader.list(node, path, 'addresses such as [10.0.0.5:6379, 10.0.0.6:6379]');
  const addresses: Address[] = [];
  for (const [index, item] of items.entries()) {
    const place = `${path}[${index}]`;
    const expanded = reader.text(item, place, 'host:port');
    if (expanded === null) continue;
    const read = readAddresses(expanded.text, port, scheme);
    if (typeof read === 'string') reader.findings.at(item.at, place, read);
    else addresses.push(...read);
  }
  const [first] = addresses;
  if (first === undefined) {
    if (items.length === 0) reader.findings.of(path, 'has no address');
    return null;
  }
  return { ...first, ...(addresses.length > 1 ? { addresses } : {}) };
}
