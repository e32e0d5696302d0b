/** Null targets, each a process of its own: this file run as a child is one. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startTarget } from '@pacecar/worker';

const ME = fileURLToPath(import.meta.url);

export interface ServerProcess {
  readonly port: number;
  close(): Promise<void>;
}

export async function startNullTarget(): Promise<ServerProcess> {
  const child = fork(ME);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (value) => resolve(Number(value)));
    child.once('exit', () => reject(new Error('the null target did not start')));
  });
  return {
    port,
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
}

if (process.argv[1] === ME) {
  const target = await startTarget({ host: '127.0.0.1', port: 0 });
  process.once('disconnect', () => void target.close());
  process.send?.(target.port);
}
