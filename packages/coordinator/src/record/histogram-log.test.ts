import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  BUNDLE_FILES,
  Distribution,
  encodeFrame,
  type FrameRow,
  frameRecord,
  hdrLogLine,
  NO_COUNTERS,
  type Plan,
  Recorder,
} from '@pacecar/protocol';
import { writeHistogramLogs } from './histogram-log.js';

function times(...latenciesNs: readonly number[]): Uint8Array {
  const recorder = new Recorder();
  for (const latencyNs of latenciesNs) recorder.record(latencyNs, 1);
  return recorder.encode();
}

const row = (operation: string, service: Uint8Array, response: Uint8Array): FrameRow => ({
  ...{ workload: 'main', operation, ...NO_COUNTERS, inFlight: 0 },
  ...{ service, response, failed: times() },
});

/** Interval `interval` of stage `stage` on worker 0. */
const frame = (stage: number, interval: number, rows: readonly FrameRow[]): Uint8Array =>
  encodeFrame({
    ...{ epoch: 7, worker: 0, cell: 0, stage, sequence: interval, interval },
    ...{ startNs: interval * 1e9, endNs: (interval + 1) * 1e9, firstOperationNs: null },
    ...{ rows, threads: [], cpuUserUs: 0, cpuSystemUs: 0, residentBytes: 0 },
  });

/** As the log should have it. */
function line(interval: number, encoded: Uint8Array, stage = 'measure', startSeconds = 2): string {
  const distribution = new Distribution();
  distribution.addEncoded(encoded);
  return hdrLogLine({
    tag: `cell-0/${stage}/main`,
    startSeconds: startSeconds + interval,
    lengthSeconds: 1,
    distribution,
    deflate: deflateSync,
  });
}

test('a log of service times for each operation, and one of response times where there is a schedule', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-hlog-'));
  try {
    const intervals = [
      { paced: times(5_000, 7_000), due: times(9_000, 9_500), free: times(400) },
      { paced: times(), due: times(), free: times(600, 700) },
      { paced: times(6_000), due: times(1_000_000), free: times() },
    ];
    const frames = intervals.map(({ paced, due, free }, interval) =>
      frame(1, interval, [row('get', paced, due), row('response', free, times())]),
    );
    const warmUp = frame(0, 0, [row('get', times(1), times(1))]);
    await mkdir(join(folder, 'frames'));
    const records = [warmUp, ...frames].map(frameRecord);
    await writeFile(join(folder, BUNDLE_FILES.frames(0)), Buffer.concat(records));
    const stages = [
      { name: 'warm', kind: 'warm-up', search: null },
      { name: 'measure', kind: 'measure', search: null },
    ];
    const plan = { name: 'test run', cells: [{ index: 0, stages }] } as unknown as Plan;
    await writeHistogramLogs(folder, { plan, startedAtMs: 0, startAtMs: () => 2_000 });

    assert.deepEqual((await readdir(join(folder, 'hlog'))).sort(), [
      'response-worker-0-get.hlog',
      'worker-0-get.hlog',
      'worker-0-response.hlog',
    ]);
    const logOf = async (operation: string, time?: 'response') => {
      const text = await readFile(join(folder, BUNDLE_FILES.hlog(0, operation, time)), 'utf8');
      assert.match(text, new RegExp(`${operation}, ${time ?? 'service'} time in ns`));
      return text.slice(text.indexOf('Tag='));
    };
    const [first, second, third] = intervals as [
      (typeof intervals)[0],
      (typeof intervals)[0],
      (typeof intervals)[0],
    ];
    assert.equal(await logOf('get'), line(0, first.paced) + line(2, third.paced));
    assert.equal(await logOf('get', 'response'), line(0, first.due) + line(2, third.due));
    assert.equal(await logOf('response'), line(0, first.free) + line(1, second.free));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('stages beside each other stand in the order of their starts, each line with its stage', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-hlog-'));
  try {
    const get = (latencyNs: number) => [row('get', times(latencyNs), times())];
    // As they arrived: the second stage was cut, and its first frame came late.
    const frames = [
      frame(0, 0, get(1_000)),
      frame(1, 1, get(20)),
      frame(1, 0, get(10)),
      frame(0, 1, get(2_000)),
    ];
    frames.push(frame(0, 2, get(3_000)), frame(2, 0, get(7)));
    await mkdir(join(folder, 'frames'));
    await writeFile(join(folder, BUNDLE_FILES.frames(0)), Buffer.concat(frames.map(frameRecord)));
    const stages = ['poll', 'one', 'two'].map((name) => ({ name, kind: 'measure', search: null }));
    const plan = { name: 'test run', cells: [{ index: 0, stages }] } as unknown as Plan;
    const starts = [1_000, 1_500, 9_000];
    await writeHistogramLogs(folder, { plan, startedAtMs: 0, startAtMs: (_, stage) => starts[stage] });
    const text = await readFile(join(folder, BUNDLE_FILES.hlog(0, 'get')), 'utf8');
    assert.equal(
      text.slice(text.indexOf('Tag=')),
      line(0, times(1_000), 'poll', 1) +
        line(0, times(10), 'one', 1.5) +
        line(1, times(2_000), 'poll', 1) +
        line(1, times(20), 'one', 1.5) +
        line(2, times(3_000), 'poll', 1) +
        line(0, times(7), 'two', 9),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
