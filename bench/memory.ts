/**
 * `node tools/run.mjs bench/memory [--millions 10] [--driver resp] [--depth 16]`: how the memory of a worker's process
 * grows from its first million operations to its last, a frame every 100 ms, against the null target. Its threads have
 * heaps of their own, so that what is compared is all that the process holds; the smallest of ten frames, since garbage
 * comes and goes. Aim: less than 30 MB from 10^6 to 10^7 operations.
 */
import { parseArgs } from 'node:util';
import { decodeFrame } from '@pacecar/protocol';
import { createStageEngine } from '@pacecar/worker';
import { pino } from 'pino';
import { benchArm } from './bench-arm.js';
import { startNullTarget } from './server-process.js';

const { values: flags } = parseArgs({
  options: {
    millions: { type: 'string', default: '10' },
    driver: { type: 'string', default: 'resp' },
    depth: { type: 'string', default: '16' },
  },
});
const FRAMES = 10;
const MB = 1024 * 1024;
const operations = Number(flags.millions) * 1e6;

const server = await startNullTarget();
const originNs = process.hrtime.bigint();
const engine = createStageEngine({ originNs, logger: pino({ level: 'silent' }) });
const resident: { readonly sent: number; readonly bytes: number }[] = [];
let sent = 0;
try {
  await new Promise<void>((resolve, reject) => {
    const load = engine.arm(
      benchArm({
        driver: flags.driver,
        port: server.port,
        stage: 0,
        depth: Number(flags.depth),
        end: { kind: 'operations', operations: { count: operations, scope: 'total' } },
        intervalMs: 100,
      }),
      0,
      {
        armed: () => load.go(Number(process.hrtime.bigint() - originNs) / 1e6 + 50),
        frame: (_sequence, bytes) => {
          const frame = decodeFrame(bytes);
          for (const row of frame.rows) sent += row.sent;
          resident.push({ sent, bytes: frame.residentBytes });
        },
        drained: () => resolve(),
        failed: (code, reason) => reject(new Error(`${code}: ${reason}`)),
      },
    );
  });
} finally {
  await engine.close();
  await server.close();
}

/** The least that the process held in the frames from the one that reached so many operations on, or in the last ones. */
function held(from: number): number {
  const first = Math.min(
    resident.findIndex((each) => each.sent >= from),
    Math.max(0, resident.length - FRAMES),
  );
  return Math.min(...resident.slice(first, first + FRAMES).map(({ bytes }) => bytes));
}

const early = held(1e6);
const late = held(operations);
process.stdout.write(
  `${sent.toLocaleString('en')} operations in ${resident.length} frames: ${(early / MB).toFixed(1)} MB after a million, ` +
    `${(late / MB).toFixed(1)} MB at the end: ${((late - early) / MB).toFixed(1)} MB more\n`,
);
