import { isLibraryError } from './library.js';

let isCatching = false;

/**
 * When a member goes, promises inside of the library fail that nobody waits for. Node would end the thread, and with it
 * the load on all the other members. Whatever the library did not make ends it as before.
 */
export function catchStrayRejections(): void {
  if (isCatching) return;
  isCatching = true;
  process.on('unhandledRejection', (reason) => {
    if (!isLibraryError(reason)) throw reason;
  });
}
