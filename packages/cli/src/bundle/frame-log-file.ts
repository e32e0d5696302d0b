import { closeSync, openSync, readSync } from 'node:fs';
import { crc32, FrameLogDamage, LIMITS } from '@pacecar/protocol';

const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 8;

/**
 * Reads the whole frames of one frame log, in order, in bounded memory (one chunk or one frame, whichever is
 * larger), as `readFrameLog` does: past records whose checksum is wrong. Each frame is a view that holds until the next
 * one is taken. Returns what is wrong with the log; null when every record is whole.
 */
export function* readFrameLogFile(path: string): Generator<Uint8Array, string | null> {
  const file = openSync(path, 'r');
  try {
    let buffer = new Uint8Array(CHUNK_BYTES);
    let start = 0;
    let end = 0;
    /** Of the byte at `start`, within the file. */
    let position = 0;
    let atEnd = false;
    const damage = new FrameLogDamage();

    const fill = (needed: number): boolean => {
      if (end - start >= needed) return true;
      if (start > 0) {
        buffer.copyWithin(0, start, end);
        end -= start;
        start = 0;
      }
      if (needed > buffer.length) {
        const larger = new Uint8Array(needed);
        larger.set(buffer.subarray(0, end));
        buffer = larger;
      }
      while (!atEnd && end < needed) {
        const got = readSync(file, buffer, end, buffer.length - end, null);
        if (got === 0) atEnd = true;
        end += got;
      }
      return end >= needed;
    };

    for (;;) {
      if (!fill(HEAD_BYTES))
        return damage.text(end === start ? null : `cut inside a record head at byte ${position}`);
      const head = new DataView(buffer.buffer, start, HEAD_BYTES);
      const length = head.getUint32(0);
      const sum = head.getUint32(4);
      if (length > LIMITS.frameBytes) return damage.text(`a record of ${length} bytes at byte ${position}`);
      if (!fill(HEAD_BYTES + length)) return damage.text(`cut inside a frame at byte ${position}`);
      const frame = buffer.subarray(start + HEAD_BYTES, start + HEAD_BYTES + length);
      if (crc32(frame) === sum) yield frame;
      else damage.wrongChecksum(position);
      start += HEAD_BYTES + length;
      position += HEAD_BYTES + length;
    }
  } finally {
    closeSync(file);
  }
}
