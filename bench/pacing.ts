/**
 * `node tools/run.mjs bench/pacing [--rates 100,1000,50000] [--connections 50] [--depth 1] [--seconds 10]
 * [--delay-ms 5]`: how exactly
 * one engine thread keeps a schedule, and what that costs it. One line for each rate: operations sent of those that were
 * due, the generator's own error (due, and a slot free, to sent), and CPU time of the process per second. Prints the
 * median of the response time beside, so that nobody pays for a low load with late answers. With `--delay-ms` something
 * is in flight all the time.
 */
import { parseArgs } from 'node:util';
import { type Arm, decodeFrame, Distribution, plainAction } from '@pacecar/protocol';
import { createStageEngine } from '@pacecar/worker';
import { pino } from 'pino';
import { benchArm } from './bench-arm.js';
import { startDelayingProxy } from './delaying-proxy.js';
import { startRedisProcess } from './redis-process.js';

const { values: flags } = parseArgs({
  options: {
    rates: { type: 'string', default: '10,100,1000,10000,50000' },
    connections: { type: 'string', default: '50' },
    depth: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    arrivals: { type: 'string', default: 'constant' },
    'delay-ms': { type: 'string', default: '0' },
  },
});
const SECONDS = Number(flags.seconds);

function arm(port: number, ratePerSec: number, stage: number): Arm {
  return benchArm({
    driver: 'resp',
    port,
    stage,
    depth: Number(flags.depth),
    end: { kind: 'duration', durationMs: SECONDS * 1_000 },
    intervalMs: 1_000,
    workload: {
      connections: { count: Number(flags.connections), scope: 'worker' },
      mix: [plainAction('get', 1)],
      model: {
        kind: 'open',
        rate: { kind: 'constant', ratePerSec },
        arrivals: flags.arrivals === 'poisson' ? 'poisson' : 'constant',
        lateAfterMs: 1,
        dropAfterMs: null,
      },
    },
  });
}

const redis = await startRedisProcess();
const delayMs = Number(flags['delay-ms']);
const proxy = delayMs > 0 ? await startDelayingProxy(redis.port, delayMs) : null;
const targetPort = proxy?.port ?? redis.port;
const originNs = process.hrtime.bigint();
const engine = createStageEngine({ originNs, logger: pino({ level: 'silent' }) });
const us = (of: Distribution, ratio: number): string =>
  ((of.quantileNs(ratio) ?? Number.NaN) / 1_000).toFixed(1).padStart(8);

try {
  process.stdout.write(
    '     rate/s     sent of due        late | pacing error us: p50      p99    p99.9      max | response us p50 | CPU s/s  utilisation\n',
  );
  for (const [stage, rate] of flags.rates.split(',').map(Number).entries()) await measure(rate, stage);
} finally {
  await engine.close();
  proxy?.close();
  await redis.close();
}

async function measure(ratePerSec: number, stage: number): Promise<void> {
  const pacing = new Distribution();
  const response = new Distribution();
  let utilisation = 0;
  let frames = 0;
  let before = process.cpuUsage();
  const totals = await new Promise<{ sent: number; dropped: number; late: number }>((resolve, reject) => {
    const load = engine.arm(arm(targetPort, ratePerSec, stage), 0, {
      armed: () => {
        before = process.cpuUsage();
        load.go(Number(process.hrtime.bigint() - originNs) / 1e6 + 100);
      },
      frame: (_sequence, bytes) => {
        const frame = decodeFrame(bytes);
        frames++;
        utilisation += frame.threads[0]?.utilisation ?? 0;
        for (const row of frame.rows) {
          if (row.pacing !== undefined) pacing.addEncoded(row.pacing);
          response.addEncoded(row.response);
        }
      },
      drained: ({ totals: rows }) => {
        const [row] = rows;
        if (row === undefined) reject(new Error('no totals'));
        else resolve(row);
      },
      failed: (code, reason) => reject(new Error(`${code}: ${reason}`)),
    });
  });
  const used = process.cpuUsage(before);
  const due = totals.sent + totals.dropped;
  process.stdout.write(
    `${String(ratePerSec).padStart(11)} ${`${totals.sent} of ${due}`.padStart(16)} ${String(totals.late).padStart(10)} |` +
      `             ${us(pacing, 0.5)} ${us(pacing, 0.99)} ${us(pacing, 0.999)} ${us(pacing, 1)} |        ${us(response, 0.5)} |` +
      ` ${((used.user + used.system) / 1e6 / SECONDS).toFixed(3).padStart(6)}       ${(utilisation / Math.max(1, frames)).toFixed(3)}\n`,
  );
}
