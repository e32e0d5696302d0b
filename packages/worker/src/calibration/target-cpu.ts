import { connect, type Socket } from 'node:net';
import { PacecarError, systemReason } from '@pacecar/protocol';

const QUESTION = '*2\r\n$4\r\nINFO\r\n$3\r\ncpu\r\n';
const ANSWER_LIMIT_MS = 5_000;

/** Asks a target of this program how much CPU time it has used, over a connection of its own. */
export class TargetCpu {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(host: string, port: number): Promise<TargetCpu> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      socket.once('error', (error) => reject(unreachable(systemReason(error))));
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        socket.on('error', () => undefined);
        resolve(new TargetCpu(socket));
      });
    });
  }

  /** User and system time in microseconds since it was started. */
  usedUs(): Promise<number> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let text = '';
      const settle = (work: () => void) => {
        clearTimeout(timer);
        socket.off('data', take).off('close', lost);
        work();
      };
      const take = (chunk: Buffer) => {
        text += chunk.toString('latin1');
        // The reply ends in the second of these: its own line, then that of the bulk string.
        if (!text.endsWith('\r\n\r\n')) return;
        const part = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)\\r$`, 'm').exec(text)?.[1]);
        const usedUs = (part('used_cpu_user') + part('used_cpu_sys')) * 1e6;
        settle(() =>
          Number.isFinite(usedUs)
            ? resolve(usedUs)
            : reject(unreachable('it does not say how much CPU time it used')),
        );
      };
      const lost = () => settle(() => reject(unreachable('it closed the connection')));
      const timer = setTimeout(
        () => settle(() => reject(unreachable(`no answer within ${ANSWER_LIMIT_MS} ms`))),
        ANSWER_LIMIT_MS,
      );
      socket.on('data', take).on('close', lost);
      socket.write(QUESTION);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

function unreachable(why: string): PacecarError {
  return new PacecarError('TARGET_UNREACHABLE', `the built-in target: ${why}`);
}
