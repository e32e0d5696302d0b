import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Event, EventSchema } from '@pacecar/protocol';
import { type Summary, SummarySchema } from '@pacecar/report';

/** An empty folder for one test, in which its commands run. */
export class Workspace {
  readonly path = mkdtempSync(join(tmpdir(), 'pacecar-e2e-'));

  write(name: string, text: string): string {
    writeFileSync(join(this.path, name), text, { mode: 0o600 });
    return name;
  }

  /** The one bundle under results/. */
  bundle(): string {
    const results = join(this.path, 'results');
    const names = existsSync(results) ? readdirSync(results) : [];
    assert.equal(names.length, 1, `one bundle is expected under results/, there are: ${names.join(', ')}`);
    return join(results, names[0] as string);
  }

  bundles(): string[] {
    const results = join(this.path, 'results');
    return existsSync(results) ? readdirSync(results) : [];
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function readSummary(text: string): Summary {
  return SummarySchema.parse(JSON.parse(text));
}

export function readEvents(bundle: string): Event[] {
  return readFileSync(join(bundle, 'events.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => EventSchema.parse(JSON.parse(line)));
}

/** Calls per command as the built-in target of a local run counted them. */
export function targetCalls(bundle: string): Record<string, number> {
  for (const line of readFileSync(join(bundle, 'logs/target.log'), 'utf8').split('\n')) {
    const record = line === '' ? {} : (JSON.parse(line) as { calls?: Record<string, number> });
    if (record.calls !== undefined) return record.calls;
  }
  throw new Error(`the target's log in ${bundle} has no counters`);
}

/** A scenario against the built-in target, small enough for a test; `more` is YAML added at its end. */
export function scenario(options: {
  target?: string;
  driver?: string;
  workers?: number;
  stages: string;
  more?: string;
}): string {
  return `pacecar: 1
name: test run
groups: { clients: ${options.workers ?? 3} }
configurations:
  sut: { target: "${options.target ?? 'builtin'}"${options.driver === undefined ? '' : `, driver: ${options.driver}`} }
workload: { keys: 2000, connections: 4 per worker }
stages: ${options.stages}
${options.more ?? ''}
`;
}
