import { refusal } from '../distribution/key-distribution.js';
import type { RandomSource } from '../distribution/random-source.js';

export type Contents =
  /** 64 letters, digits and signs; every client shows them as they are. */
  | { readonly kind: 'printable' }
  /** All 256 bytes, equally likely: nothing to compress. */
  | { readonly kind: 'random' }
  /** What zlib makes `ratio` times smaller, 1..20, if a value has some KB; shorter ones have less to gain. */
  | { readonly kind: 'compressible'; readonly ratio: number };

/** 64 printable characters, one for each 6 bits. */
export const PRINTABLE: Uint8Array = Uint8Array.from(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_',
  (character) => character.charCodeAt(0),
);
/** A few times the length of a match that deflate knows, and enough for some random bytes in each block. */
const BLOCK_BYTES = 256;
const RANDOM_BYTES_PER_BLOCK = 32;
/** What deflate needs for the even rest of a block and for random bytes beside it; measured with zlib's level 6. */
const REST_BYTES = 4;
const HIGHEST_RATIO = 20;

/** Fills `bytes`; every beginning of the result is as compressible as the whole. */
export function fillContents(contents: Contents, bytes: Uint8Array, random: RandomSource): void {
  switch (contents.kind) {
    case 'printable':
      for (let at = 0; at < bytes.length; at++) bytes[at] = PRINTABLE[random.u32() >>> 26] as number;
      break;
    case 'random':
      fillRandom(bytes, 0, bytes.length, random);
      break;
    case 'compressible':
      fillCompressible(bytes, contents.ratio, random);
  }
}

function fillRandom(bytes: Uint8Array, from: number, to: number, random: RandomSource): void {
  let word = 0;
  for (let at = from; at < to; at++) {
    word = ((at - from) & 3) === 0 ? random.u32() : word >>> 8;
    bytes[at] = word & 0xff;
  }
}

/** Blocks that begin with random bytes and go on with zeros. */
function fillCompressible(bytes: Uint8Array, ratio: number, random: RandomSource): void {
  if (!(ratio >= 1 && ratio <= HIGHEST_RATIO))
    throw refusal('the compression ratio', ratio, `1..${HIGHEST_RATIO}`);
  if (ratio === 1) {
    fillRandom(bytes, 0, bytes.length, random);
    return;
  }
  const blockBytes = Math.max(BLOCK_BYTES, Math.round(RANDOM_BYTES_PER_BLOCK * ratio));
  const randomPerBlock = blockBytes / ratio - REST_BYTES;
  bytes.fill(0);
  for (let block = 0; block * blockBytes < bytes.length; block++) {
    // The parts of a byte add up over the blocks.
    const randomBytes = Math.floor((block + 1) * randomPerBlock) - Math.floor(block * randomPerBlock);
    const from = block * blockBytes;
    fillRandom(bytes, from, Math.min(from + randomBytes, bytes.length), random);
  }
}
