import type { Manifest } from '@pacecar/protocol';

/**
 * Seals a bundle whose run is over: writes hlog/ from the frames of the measure stages, then, as the very last,
 * manifest.json with size and SHA-256 of every other file. Call it after summary.json, timeline.csv and report.html
 * are there. All it needs to know it reads from the bundle. Throws PacecarError STORAGE.
 */
export async function sealBundle(_directory: string): Promise<Manifest> {
  throw new Error('being written');
}
