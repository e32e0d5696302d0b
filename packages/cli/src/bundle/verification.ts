import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  BUNDLE_FILES,
  BytesInvalid,
  decodeFrame,
  type Manifest,
  PACECAR_VERSION,
  PacecarError,
} from '@pacecar/protocol';
import { type BundleSource, renderJson, type Summary, summarize, timelineCsv } from '@pacecar/report';
import { openBundle, readManifest } from './bundle-source.js';

export interface Verification {
  /** One sentence for each thing that does not hold; none: the bundle is what its run wrote. */
  readonly problems: readonly string[];
  readonly files: number;
  readonly frames: number;
}

/**
 * Checks a bundle: every file against its checksum in the manifest, every frame, and the summary and the timeline
 * against what follows from the frames. Throws REQUEST_INVALID for a directory that is no bundle.
 */
export async function verifyBundle(directory: string): Promise<Verification> {
  const problems: string[] = [];
  let source: BundleSource;
  try {
    source = openBundle(directory);
  } catch (error) {
    // A plan that cannot be read is a finding like others; without it nothing can be computed again.
    if (!(error instanceof PacecarError) || error.code !== 'STORAGE') throw error;
    const { files } = await checkFiles(directory, readManifest(directory, []), problems);
    problems.push(error.message);
    return { problems, files, frames: 0 };
  }
  const { files, absent } = await checkFiles(directory, source.manifest, problems);
  // A file that is not there is told once, whoever looked for it.
  problems.push(...source.damage.filter((text) => !absent.has(text.slice(0, text.indexOf(':')))));
  const frames = checkFrames(source, problems);
  checkDerived(directory, source, absent, problems);
  return { problems, files, frames };
}

interface FilesChecked {
  readonly files: number;
  /** Paths that were told to be missing or not readable. */
  readonly absent: ReadonlySet<string>;
}

async function checkFiles(
  directory: string,
  manifest: Manifest | null,
  problems: string[],
): Promise<FilesChecked> {
  if (manifest === null) {
    problems.push(
      `${BUNDLE_FILES.manifest}: missing or not readable; the run never sealed its bundle, so nothing shows that it is unchanged`,
    );
    return { files: 0, absent: new Set([BUNDLE_FILES.manifest]) };
  }
  const present = new Set(filesBelow(directory));
  present.delete(BUNDLE_FILES.manifest);
  const absent = new Set<string>();
  let files = 0;
  for (const [path, expected] of Object.entries(manifest.files)) {
    if (!present.delete(path)) {
      problems.push(`${path}: missing`);
      absent.add(path);
      continue;
    }
    files++;
    const bytes = statSync(join(directory, path)).size;
    if (bytes !== expected.bytes)
      problems.push(`${path}: changed; ${bytes} bytes instead of ${expected.bytes}`);
    else if ((await sha256Of(join(directory, path))) !== expected.sha256)
      problems.push(`${path}: changed; its SHA-256 is not that of the manifest`);
  }
  for (const path of present) problems.push(`${path}: not in the manifest; it was added after the run`);
  return { files, absent };
}

function checkFrames(source: BundleSource, problems: string[]): number {
  let frames = 0;
  for (const bytes of source.frames()) {
    try {
      decodeFrame(bytes);
    } catch (error) {
      if (!(error instanceof BytesInvalid)) throw error;
      problems.push(`frame ${frames} of the record is not valid: ${error.message}`);
    }
    frames++;
  }
  return frames;
}

/** What is made from the frames must follow from them to the last digit. */
function checkDerived(
  directory: string,
  source: BundleSource,
  absent: ReadonlySet<string>,
  problems: string[],
): void {
  let summary: Summary;
  try {
    summary = summarize(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(`the summary cannot be computed from what is there: ${reason}`);
    return;
  }
  for (const [path, expected] of [
    [BUNDLE_FILES.summary, renderJson(summary)],
    [BUNDLE_FILES.timeline, timelineCsv(summary)],
  ] as const) {
    if (absent.has(path)) continue;
    if (!existsSync(join(directory, path))) {
      problems.push(`${path}: missing, so there is nothing to compare with the frames`);
      continue;
    }
    const found = readFileSync(join(directory, path), 'utf8');
    if (found === expected) continue;
    const version = source.manifest?.pacecarVersion ?? PACECAR_VERSION;
    const by =
      version === PACECAR_VERSION ? '' : ` (it was made by Pacecar ${version}, this is ${PACECAR_VERSION})`;
    problems.push(`${path}: does not follow from the frames; ${firstDifference(found, expected)}${by}`);
  }
}

function firstDifference(found: string, expected: string): string {
  const foundLines = found.split('\n');
  const expectedLines = expected.split('\n');
  const line = foundLines.findIndex((text, index) => text !== expectedLines[index]);
  const at = line < 0 ? foundLines.length : line;
  return `line ${at + 1} is ${quoted(foundLines[at])} instead of ${quoted(expectedLines[at])}`;
}

function quoted(line: string | undefined): string {
  return line === undefined ? 'missing' : JSON.stringify(line.trim().slice(0, 100));
}

/** Every file below the directory, with `/` between the parts. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => !statSync(join(directory, path)).isDirectory())
    .map((path) => path.split(sep).join('/'));
}

function sha256Of(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    createReadStream(path)
      .on('error', reject)
      .on('data', (chunk) => hash.update(chunk))
      .on('end', () => resolve(hash.digest('hex')));
  });
}
