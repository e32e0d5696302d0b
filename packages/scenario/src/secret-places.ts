import type { Span } from './properties.js';
import type { SourceScalar } from './source-tree.js';

/** Where a password was written down: what must be hidden wherever the text or the command line is kept. */
export interface SecretPlaces {
  /** Scalars of the file with the literal password in them. */
  readonly scalars: { readonly scalar: SourceScalar; readonly secret: string }[];
  /** Names of `--set`. */
  readonly sets: Set<string>;
  readonly warnings: string[];
}

export function notePassword(
  spans: readonly Span[],
  path: string,
  secrets: SecretPlaces,
  what = 'password',
): void {
  let literal = false;
  for (const { text, origin } of spans) {
    if (origin.kind === 'set') {
      secrets.sets.add(origin.name);
      secrets.warnings.push(
        `${path}: the ${what} comes from --set ${origin.name}, which other users of this machine can see; ` +
          'use ${env.NAME} instead',
      );
    }
    if (origin.kind !== 'file') continue;
    secrets.scalars.push({ scalar: origin.scalar, secret: text });
    literal = true;
  }
  if (literal) secrets.warnings.push(`${path}: a ${what} stands in the file; use \${env.NAME} instead`);
}
