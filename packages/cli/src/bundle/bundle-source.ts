import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BUNDLE_FILES,
  BUNDLE_VERSION,
  CommandFileSchema,
  type Event,
  EventSchema,
  type Manifest,
  ManifestSchema,
  PacecarError,
  type Plan,
  PlanSchema,
} from '@pacecar/protocol';
import type { BundleSource } from '@pacecar/report';
import { readFrameLogFile } from './frame-log-file.js';

const FRAME_LOG = /^worker-(\d+)\.pcf$/;

/**
 * Opens a bundle for the report: whole ones, and those that a crash left behind, whose faults stand in `damage`.
 * Frames are read from their files each time, in bounded memory. Throws REQUEST_INVALID for a directory that is no
 * bundle, or one of another version.
 */
export function openBundle(directory: string): BundleSource {
  const damage: string[] = [];
  const plan = readPlan(directory);
  const manifest = readManifest(directory, damage);
  const events = readEvents(join(directory, BUNDLE_FILES.events), damage);
  const scenario = join(directory, BUNDLE_FILES.scenario);
  const logs = frameLogs(directory);
  for (const name of logs) {
    const end = damageOfLog(join(directory, name));
    if (end !== null) damage.push(`${name}: ${end}; the whole frames are kept`);
  }
  return {
    plan,
    scenarioText: existsSync(scenario) ? readFileSync(scenario, 'utf8') : '',
    events,
    manifest,
    commandLine: readCommandLine(directory),
    *frames() {
      for (const name of logs) yield* readFrameLogFile(join(directory, name));
    },
    damage,
  };
}

/** Paths of the frame logs within the bundle, by worker. */
function frameLogs(directory: string): string[] {
  const folder = join(directory, 'frames');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => ({ name, worker: Number(FRAME_LOG.exec(name)?.[1]) }))
    .filter(({ worker }) => !Number.isNaN(worker))
    .sort((a, b) => a.worker - b.worker)
    .map(({ name }) => `frames/${name}`);
}

/** Reads a whole log and says what is wrong with it. */
function damageOfLog(path: string): string | null {
  const frames = readFrameLogFile(path);
  for (;;) {
    const next = frames.next();
    if (next.done === true) return next.value;
  }
}

function readPlan(directory: string): Plan {
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    throw new PacecarError('REQUEST_INVALID', `${directory} is not a directory: give the directory of a run`);
  const path = join(directory, BUNDLE_FILES.plan);
  if (!existsSync(path))
    throw new PacecarError(
      'REQUEST_INVALID',
      `${directory} is not a Pacecar bundle: there is no ${BUNDLE_FILES.plan} in it. ` +
        'Give the directory that a run wrote, for example results/20260131T120000Z-demo',
    );
  const value = readJson(path);
  if (!value.ok) throw new PacecarError('STORAGE', `${path} is damaged: ${value.reason}`);
  const parsed = PlanSchema.safeParse(value.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new PacecarError('STORAGE', `${path} is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return parsed.data;
}

/** null for a run that crashed before it had written it. */
function readCommandLine(directory: string): readonly string[] | null {
  const value = readJson(join(directory, BUNDLE_FILES.command));
  const parsed = CommandFileSchema.safeParse(value.ok ? value.value : null);
  return parsed.success ? parsed.data : null;
}

/** The manifest, or null with the reason in `damage`. Throws REQUEST_INVALID for another version of bundles. */
export function readManifest(directory: string, damage: string[]): Manifest | null {
  const path = join(directory, BUNDLE_FILES.manifest);
  if (!existsSync(path)) return null;
  const value = readJson(path);
  if (value.ok) {
    const version: unknown = (value.value as { bundleVersion?: unknown } | null)?.bundleVersion;
    if (typeof version === 'number' && version !== BUNDLE_VERSION)
      throw new PacecarError(
        'REQUEST_INVALID',
        `${directory} is a bundle of version ${version}; this Pacecar reads version ${BUNDLE_VERSION}. Use the Pacecar that made it`,
      );
    const parsed = ManifestSchema.safeParse(value.value);
    if (parsed.success) return parsed.data;
  }
  damage.push(`${BUNDLE_FILES.manifest}: not readable`);
  return null;
}

function readEvents(path: string, damage: string[]): Event[] {
  if (!existsSync(path)) {
    damage.push(`${BUNDLE_FILES.events}: missing`);
    return [];
  }
  const events: Event[] = [];
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  // A whole file ends with a line break, after which nothing stands.
  const last = lines.pop();
  if (last !== '') damage.push(`${BUNDLE_FILES.events}: cut inside line ${lines.length + 1}`);
  for (const [index, line] of lines.entries()) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = undefined;
    }
    const parsed = EventSchema.safeParse(value);
    if (parsed.success) events.push(parsed.data);
    else damage.push(`${BUNDLE_FILES.events}: line ${index + 1} is not an event`);
  }
  return events;
}

function readJson(path: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(readFileSync(path, 'utf8')) as unknown };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
