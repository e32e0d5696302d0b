import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Arm, Stage } from '@pacecar/protocol';
import { pino } from 'pino';
import { stage } from '../engine/stage-run.test.support.js';
import { EngineHost } from './engine-host.js';
import type { PoolListener } from './thread-pool.js';

function arm(number: number, end: Stage['end']): Arm {
  return {
    ...{ type: 'arm', epoch: 7, cell: 0, stage: number, seed: 1, intervalMs: 100 },
    configuration: {
      name: 'configuration',
      driver: 'resp',
      target: { kind: 'address', host: '127.0.0.1', port: 1, username: null, password: null, database: 0 },
      settings: {},
    },
    spec: { ...stage({ connections: 1 }), end },
    share: { index: 0, of: 1 },
  };
}

const BACKGROUND = { kind: 'stage', stage: 'last' } as const;
const FOREGROUND = { kind: 'duration', durationMs: 1_000 } as const;

/** What each crew of threads was told, and threads that a test plays. */
class Stand {
  readonly crews: { readonly told: string[]; readonly listener: PoolListener; closed: boolean }[] = [];
  readonly reports: string[] = [];
  readonly host = new EngineHost(pino({ level: 'silent' }), (listener) => {
    const crew = { told: [] as string[], listener, closed: false };
    this.crews.push(crew);
    return {
      require: () => undefined,
      send: (_, { type, stage }) => crew.told.push(`${type} ${stage}`),
      close: () => {
        crew.closed = true;
        return Promise.resolve();
      },
    };
  });

  arm(number: number, end: Stage['end']) {
    return this.host.arm(arm(number, end), 0, {
      armed: () => this.reports.push(`${number} armed`),
      frame: () => this.reports.push(`${number} frame`),
      drained: () => this.reports.push(`${number} drained`),
      failed: (_, reason) => this.reports.push(`${number} failed: ${reason}`),
    });
  }

  /** The threads of a crew say that they have done the stage that they had as their n-th. */
  finish(crew: number, nth: number): void {
    this.crews[crew]?.listener.message(0, { type: 'finished', stage: nth, elapsedNs: 1, failure: null });
  }
}

describe('stages that run at the same time', () => {
  test('have threads of their own; foreground stages have the same ones, one after the other', () => {
    const stand = new Stand();
    stand.arm(0, FOREGROUND);
    stand.finish(0, 0);
    const background = stand.arm(1, BACKGROUND);
    const foreground = stand.arm(2, FOREGROUND);
    background.go(1);
    foreground.go(2);
    background.stop();
    foreground.stop();
    assert.deepEqual(
      stand.crews.map(({ told }) => told),
      [
        ['arm 0', 'arm 1', 'go 1', 'stop 1'],
        ['arm 0', 'go 0', 'stop 0'],
      ],
    );
    stand.finish(0, 1);
    stand.finish(1, 0);
    assert.deepEqual(stand.reports, ['0 drained', '2 drained', '1 drained']);
  });

  test('a crew that is free takes the next background; another is called only for one more at a time', () => {
    const stand = new Stand();
    stand.arm(0, BACKGROUND);
    stand.finish(1, 0);
    stand.arm(1, BACKGROUND);
    assert.equal(stand.crews.length, 2);
    stand.arm(2, BACKGROUND);
    assert.equal(stand.crews.length, 3);
    assert.deepEqual(stand.crews[0]?.told, []);
  });

  test('arming a background leaves the foreground alone, and the other way round', () => {
    const stand = new Stand();
    stand.arm(0, FOREGROUND);
    stand.arm(1, BACKGROUND);
    assert.deepEqual(stand.crews[0]?.told, ['arm 0']);
    stand.arm(2, FOREGROUND);
    assert.deepEqual(stand.crews[0]?.told, ['arm 0', 'abandon 0', 'arm 1']);
    assert.deepEqual(stand.crews[1]?.told, ['arm 0']);
  });

  test('a thread that ends by itself fails the stage that it had, no other', () => {
    const stand = new Stand();
    stand.arm(0, BACKGROUND);
    stand.arm(1, FOREGROUND);
    stand.crews[1]?.listener.died(0, 'out of memory');
    assert.equal(stand.reports.length, 1);
    assert.match(stand.reports[0] ?? '', /^0 failed: engine thread 0 ended in mid-stage: out of memory/);
  });

  test('what is over takes no orders any more', () => {
    const stand = new Stand();
    const first = stand.arm(0, FOREGROUND);
    first.abandon();
    stand.arm(1, FOREGROUND);
    first.go(1);
    first.stop();
    first.abandon();
    assert.deepEqual(stand.crews[0]?.told, ['arm 0', 'abandon 0', 'arm 1']);
  });

  test('close ends all threads', async () => {
    const stand = new Stand();
    stand.arm(0, FOREGROUND);
    stand.arm(1, BACKGROUND);
    await stand.host.close();
    assert.deepEqual(
      stand.crews.map(({ closed }) => closed),
      [true, true],
    );
  });
});
