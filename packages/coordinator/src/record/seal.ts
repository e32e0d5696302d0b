import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BUNDLE_FILES,
  BUNDLE_VERSION,
  CommandFileSchema,
  type Event,
  EventSchema,
  type Manifest,
  ManifestSchema,
  PACECAR_VERSION,
  PacecarError,
  PlanSchema,
  systemReasonAt,
} from '@pacecar/protocol';
import { writeHistogramLogs } from './histogram-log.js';
import { replaceFile } from './replaced-file.js';

/**
 * Seals a bundle whose run is over: writes hlog/ from the frames of the measure stages, then, as the very last,
 * manifest.json with size and SHA-256 of every other file. Call it after summary.json, timeline.csv and report.html
 * are there. All it needs to know it reads from the bundle. Throws PacecarError STORAGE.
 */
export async function sealBundle(directory: string): Promise<Manifest> {
  try {
    const plan = PlanSchema.parse(await readJson(directory, BUNDLE_FILES.plan));
    const events = await readEvents(directory);
    const first = events[0];
    const last = events.at(-1);
    if (first?.type !== 'run-started' || last === undefined)
      throw new PacecarError(
        'STORAGE',
        `${directory} holds no run: ${BUNDLE_FILES.events} does not begin with one`,
      );
    const starts = new Map<string, number>();
    for (const event of events)
      if (event.type === 'stage-go') starts.set(`${event.cell}/${event.stage}`, event.startAtMs);
    await writeHistogramLogs(directory, {
      plan,
      startedAtMs: Date.parse(first.wallTime),
      startAtMs: (cell, stage) => starts.get(`${cell}/${stage}`),
    });
    const manifest = ManifestSchema.parse({
      bundleVersion: BUNDLE_VERSION,
      pacecarVersion: PACECAR_VERSION,
      nodeVersion: process.version,
      name: plan.name,
      epoch: first.epoch,
      startedAt: first.wallTime,
      endedAt: last.wallTime,
      // A record that stops in mid-run is that of a coordinator which was killed.
      outcome: last.type === 'run-ended' ? last.outcome : 'interrupted',
      commandLine: CommandFileSchema.parse(await readJson(directory, BUNDLE_FILES.command)),
      files: await describeFiles(directory),
    });
    await replaceFile(join(directory, BUNDLE_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } catch (thrown) {
    if (thrown instanceof PacecarError) throw thrown;
    throw new PacecarError('STORAGE', `the bundle ${directory} cannot be sealed: ${systemReasonAt(thrown)}`, {
      cause: thrown,
    });
  }
}

async function readJson(directory: string, path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, path), 'utf8'));
}

/** Every whole event, in order; a crash may have left half a line at the end. */
async function readEvents(directory: string): Promise<Event[]> {
  const lines = (await readFile(join(directory, BUNDLE_FILES.events), 'utf8')).split('\n');
  const events: Event[] = [];
  for (const line of lines.slice(0, -1)) events.push(EventSchema.parse(JSON.parse(line)));
  return events;
}

async function describeFiles(directory: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = {};
  const paths = (await listFiles(directory, ''))
    .filter((path) => path !== BUNDLE_FILES.manifest && !path.endsWith('.tmp'))
    .sort();
  for (const path of paths) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of createReadStream(join(directory, path)) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    files[path] = { sha256: hash.digest('hex'), bytes };
  }
  return files;
}

/** Paths of all plain files below, with `/` between the folders. */
async function listFiles(directory: string, below: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await listFiles(directory, path)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}
