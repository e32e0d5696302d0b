/** Runs in the thread that `finishBundle` starts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { sealBundle } from '@pacecar/coordinator';
import { BUNDLE_FILES } from '@pacecar/protocol';
import { exitCodeOf, renderHtml, renderJson, renderText, summarize, timelineCsv } from '@pacecar/report';
import { openBundle } from './bundle-source.js';
import type { Finished, FinishingRequest } from './finishing.js';

const { directory, text, strict } = workerData as FinishingRequest;
const source = openBundle(directory);
const summary = summarize(source);
const json = renderJson(summary);
writeFileSync(join(directory, BUNDLE_FILES.summary), json);
writeFileSync(join(directory, BUNDLE_FILES.timeline), timelineCsv(summary));
writeFileSync(join(directory, BUNDLE_FILES.report), renderHtml(source, summary));
await sealBundle(directory);
const finished: Finished = {
  text: renderText(summary, text),
  json,
  verdict: summary.verdict.status,
  exitCode: exitCodeOf(summary, { strict }),
};
// A port of a thread, which has no origins.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(finished);
