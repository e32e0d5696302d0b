/** Runs in the thread that `finishBundle` starts. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { replaceFile, sealBundle } from '@pacecar/coordinator';
import { BUNDLE_FILES, PacecarError, systemReasonAt } from '@pacecar/protocol';
import { exitCodeOf, renderHtml, renderJson, renderText, summarize, timelineCsv } from '@pacecar/report';
import { openBundle } from './bundle-source.js';
import type { Finished, FinishingRequest } from './finishing.js';

const { directory, text, strict } = workerData as FinishingRequest;
const source = openBundle(directory);
const summary = summarize(source);
const json = renderJson(summary);
const finished: Finished = {
  text: renderText(summary, text),
  json,
  verdict: summary.verdict.status,
  exitCode: exitCodeOf(summary, { strict }),
  unwritten: await write(),
};
// A port of a thread, which has no origins.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(finished);

/** What is printed does not wait for a disk that is full. Gives the reason if a file could not be written. */
async function write(): Promise<string | null> {
  const files: readonly (readonly [path: string, content: () => string])[] = [
    [BUNDLE_FILES.summary, () => json],
    [BUNDLE_FILES.timeline, () => timelineCsv(summary)],
    [BUNDLE_FILES.report, () => renderHtml(source, summary)],
  ];
  for (const [path, content] of files) {
    const made = content();
    try {
      await replaceFile(join(directory, path), made);
    } catch (thrown) {
      return `${path}: ${systemReasonAt(thrown)}`;
    }
  }
  try {
    await sealBundle(directory);
  } catch (thrown) {
    if (thrown instanceof PacecarError && thrown.code === 'STORAGE') return thrown.message;
    throw thrown;
  }
  return null;
}
