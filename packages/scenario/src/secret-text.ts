import { SECRET_SHOWN } from '@pacecar/protocol';
import type { SourceScalar } from './source-tree.js';

/**
 * The scenario's text without the passwords that stand in it. Each is replaced where it is written; if escapes or
 * folding hide it there, the whole scalar goes.
 */
export function publicText(
  text: string,
  places: readonly { readonly scalar: SourceScalar; readonly secret: string }[],
): string {
  let out = text;
  const ordered = [...places].sort((a, b) => b.scalar.at - a.scalar.at);
  for (const { scalar, secret } of ordered) {
    const written = text.slice(scalar.at, scalar.end);
    const hidden = written.includes(secret) ? hideIn(written, secret) : JSON.stringify(SECRET_SHOWN);
    if (out.slice(scalar.at, scalar.end) === written)
      out = out.slice(0, scalar.at) + hidden + out.slice(scalar.end);
  }
  return out;
}

/** In a URL only what stands between the user's colon and the @ is the password; elsewhere all of it. */
function hideIn(written: string, secret: string): string {
  const inUrl = `:${secret}@`;
  return written.includes('://') && written.includes(inUrl)
    ? written.replace(inUrl, `:${SECRET_SHOWN}@`)
    : written.replaceAll(secret, SECRET_SHOWN);
}
