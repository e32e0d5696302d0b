import { isPem, type Tls } from '@pacecar/protocol';
import { under } from './findings.js';
import { entry, type Reader } from './reader.js';
import { notePassword, type SecretPlaces } from './secret-places.js';
import type { SourceNode } from './source-tree.js';
import { PLAIN_TLS } from './target-url.js';
import { TlsShape } from './written/target.js';

/** `tls: true`, or what it is in detail; null: it cannot be read, which has been said. */
export function readTls(
  node: SourceNode | undefined,
  path: string,
  reader: Reader,
  secrets: SecretPlaces,
): Tls | 'none' | null {
  if (node === undefined) return 'none';
  if (node.kind !== 'mapping') {
    const expanded = reader.text(
      node,
      path,
      'true, false or a mapping { ca, cert, key, serverName, verify }',
    );
    if (expanded === null) return null;
    if (expanded.text === 'true') return PLAIN_TLS;
    if (expanded.text === 'false') return 'none';
    reader.findings.at(
      node.at,
      path,
      'is neither true nor false nor a mapping { ca, cert, key, serverName, verify }',
    );
    return null;
  }
  const fields = reader.fields(TlsShape, node, path);
  const key = entry(node, 'key');
  if (key !== undefined && fields.key !== undefined && isPem(fields.key)) {
    const place = under(path, 'key');
    const expanded = reader.text(key.value, place, 'a text');
    if (expanded !== null) notePassword(expanded.spans, place, secrets, 'private key');
  }
  if ((fields.cert === undefined) !== (fields.key === undefined)) {
    const lacking = fields.cert === undefined ? 'cert' : 'key';
    reader.findings.of(path, `cert and key go together; ${lacking} is missing`);
    return null;
  }
  return {
    ca: fields.ca ?? null,
    cert: fields.cert ?? null,
    key: fields.key ?? null,
    serverName: fields.serverName ?? null,
    verify: fields.verify ?? true,
  };
}
