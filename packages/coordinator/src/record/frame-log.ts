import type { FileHandle } from 'node:fs/promises';
import { decodeFrameIdentity, type FrameIdentity, LIMITS, readFrameLog } from '@pacecar/protocol';

/** Where a whole frame stands in a frame log. */
export interface FrameLocation extends FrameIdentity {
  readonly atByte: number;
  readonly bytes: number;
}

/** Twice the longest record, so that a window always holds a whole one. */
const WINDOW_BYTES = 2 * (LIMITS.frameBytes + 8);

/**
 * Finds every whole frame of a log of any length, in the order of the log, past frames with a wrong checksum and up to
 * any other damage; reads it in windows, so that memory does not grow with the run beyond the index itself. Throws BytesInvalid for records that
 * are not frames.
 */
export async function indexFrameLog(file: FileHandle): Promise<FrameLocation[]> {
  const index: FrameLocation[] = [];
  const window = Buffer.alloc(WINDOW_BYTES);
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(window, 0, WINDOW_BYTES, position);
    const { bytes } = readFrameLog(window.subarray(0, bytesRead), (frame) => {
      const atByte = position + frame.byteOffset - window.byteOffset;
      index.push({ ...decodeFrameIdentity(frame), atByte, bytes: frame.length });
    });
    if (bytes === 0) return index;
    position += bytes;
  }
}

export async function readFrameAt(file: FileHandle, location: FrameLocation): Promise<Uint8Array> {
  const frame = Buffer.alloc(location.bytes);
  await file.read(frame, 0, location.bytes, location.atByte);
  return frame;
}
