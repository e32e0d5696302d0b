/**
 * The thread that writes the bundle and merges intervals, so that neither disk nor arithmetic can delay a heartbeat.
 * Started by RecordPort; speaks RecordRequest and RecordReply over its parent port.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemReasonAt } from '@pacecar/protocol';
import { BundleRecord, type FrameEntry, type RecordEntry, type RecordOptions } from './bundle-record.js';
import type { LiveFigures } from './live-intervals.js';

export type RecordRequest = RecordEntry | { readonly kind: 'close' };

export type RecordedFrame = Pick<FrameEntry, 'worker' | 'cell' | 'stage' | 'sequence'>;

export type RecordReply =
  /** These are on disk (or were not to be kept). */
  | { readonly kind: 'recorded'; readonly frames: readonly RecordedFrame[] }
  | { readonly kind: 'refused'; readonly connection: number; readonly reason: string }
  /** Bytes of requests that no longer wait. */
  | { readonly kind: 'taken'; readonly bytes: number }
  | { readonly kind: 'figures'; readonly figures: LiveFigures }
  /** Once: nothing more will be recorded. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The last reply. */
  | { readonly kind: 'closed' };

const FIGURES_EVERY_MS = 1_000;

if (parentPort !== null) {
  const port = parentPort;
  const record = new BundleRecord(workerData as RecordOptions);
  const reply = (message: RecordReply): void => port.postMessage(message);
  let waiting: RecordEntry[] = [];
  let busy = false;
  let failed = false;
  let closing = false;

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      if (!failed) reply({ kind: 'failed', reason: systemReasonAt(thrown) });
      failed = true;
    }
  };

  const writeBatch = async (batch: readonly RecordEntry[]): Promise<void> => {
    const { recorded, refused } = await record.append(batch);
    for (const { entry, reason } of refused) reply({ kind: 'refused', connection: entry.connection, reason });
    if (recorded.length > 0)
      reply({
        kind: 'recorded',
        frames: recorded.map(({ worker, cell, stage, sequence }) => ({ worker, cell, stage, sequence })),
      });
  };

  /** Whatever arrives while a batch is on its way to the disk makes the next batch: the busier, the larger. */
  const drain = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      // After a failure a log may end in half a record, and must not grow behind it. Events still tell of the end.
      const writable = failed ? batch.filter((entry) => entry.kind === 'event') : batch;
      await attempt(() => writeBatch(writable));
      let bytes = 0;
      for (const entry of batch) bytes += entry.kind === 'frame' ? entry.bytes.length : 0;
      reply({ kind: 'taken', bytes });
    }
    busy = false;
    if (closing) await close();
  };

  const close = async (): Promise<void> => {
    clearInterval(figuresTimer);
    await attempt(() => record.close());
    reply({ kind: 'figures', figures: record.figures() });
    reply({ kind: 'closed' });
    port.close();
  };

  const figuresTimer = setInterval(() => {
    reply({ kind: 'figures', figures: record.figures() });
    if (!busy && !closing) {
      busy = true;
      void attempt(() => record.writeFacts()).then(() => {
        busy = false;
        return drain();
      });
    }
  }, FIGURES_EVERY_MS);

  port.on('message', (request: RecordRequest) => {
    if (request.kind === 'close') closing = true;
    else waiting.push(request);
    void drain();
  });
}
