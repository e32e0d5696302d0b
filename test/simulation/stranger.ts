import { encodeFrame, type FailureCode, type Hello, PROTOCOL_VERSION } from '@pacecar/protocol';
import type { StrangerKind } from './fault.js';
import type { SimulatedNetwork, Socket } from './network.js';
import { SimulatedProcess } from './process.js';
import { hostFacts } from './worker-node.js';

/** What each must be told. `silent` says nothing and is closed after a while. */
const ANSWER: Readonly<Record<StrangerKind, FailureCode>> = {
  garbage: 'MESSAGE_INVALID',
  'wrong-token': 'TOKEN_REJECTED',
  'wrong-version': 'VERSION_MISMATCH',
  'old-epoch': 'EPOCH_STALE',
  'old-frame': 'MESSAGE_INVALID',
  'unknown-group': 'GROUP_UNKNOWN',
  silent: 'DEADLINE_PASSED',
};

/** Somebody who does not belong to the run, and must be turned away without disturbing anybody. */
export function sendStranger(
  network: SimulatedNetwork,
  what: StrangerKind,
  run: { readonly token: string | null; readonly epoch: number },
): void {
  const { world } = network;
  const process = new SimulatedProcess(world, `stranger`, { originMs: 0, drift: 0, wallErrorMs: 0 });
  network.dial(
    process,
    (socket) => {
      world.say('stranger', () => `is in: ${what}`);
      socket.onMessage = (payload) => {
        const answer = JSON.parse(String(payload)) as { type: string; code?: string };
        if (answer.type === 'refuse' && isRight(what, answer.code)) return;
        world.violate(`a stranger (${what}) was answered ${String(payload)}`);
      };
      speak(socket, what, run);
    },
    () => undefined,
  );
}

function isRight(what: StrangerKind, code: string | undefined): boolean {
  // Where no token is asked for, or the run has begun, another reason comes first.
  if (what === 'wrong-token' && code === 'GROUP_UNKNOWN') return true;
  return (
    code === ANSWER[what] || (code === 'TOO_LATE' && (what === 'unknown-group' || what === 'wrong-token'))
  );
}

function speak(socket: Socket, what: StrangerKind, run: { token: string | null; epoch: number }): void {
  const hello: Hello = {
    type: 'hello',
    version: PROTOCOL_VERSION,
    token: run.token,
    workerId: 'stranger',
    generation: 0,
    name: null,
    group: 'nobody',
    index: null,
    resumeEpoch: null,
    facts: hostFacts(socket.process),
    drivers: [],
    calibration: null,
  };
  switch (what) {
    case 'garbage':
      socket.send('{"type":"hello","version":');
      return;
    case 'wrong-token':
      socket.send(JSON.stringify(run.token === null ? hello : { ...hello, token: 'wrong' }));
      return;
    case 'wrong-version':
      socket.send(JSON.stringify({ ...hello, version: PROTOCOL_VERSION + 1 }));
      return;
    case 'old-epoch':
      socket.send(JSON.stringify({ ...hello, resumeEpoch: run.epoch + 1_000 }));
      return;
    case 'unknown-group':
      socket.send(JSON.stringify(hello));
      return;
    case 'old-frame':
      socket.send(
        encodeFrame({
          epoch: run.epoch + 1_000,
          worker: 0,
          cell: 0,
          stage: 0,
          sequence: 0,
          interval: 0,
          startNs: 0,
          endNs: 1,
          firstOperationNs: null,
          rows: [],
          threads: [],
          cpuUserUs: 0,
          cpuSystemUs: 0,
          residentBytes: 0,
        }),
      );
      return;
    case 'silent':
      return;
  }
}
