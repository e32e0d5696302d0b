import { type Action, type Keys, PacecarError, type Workload } from '@pacecar/protocol';
import { largestKey } from '../../engine/inserted-keys.js';
import { keyText } from '../../engine/key-text.js';

/** The protocol's own limit of a key, in bytes. */
const KEY_BYTES = 250;
/** Times to live are whole seconds; from here on the server would take them for a date. */
const LONGEST_LIFE_S = 30 * 24 * 3_600;
const SHOWN_CHARACTERS = 40;
/** Of the hash that stands for a number where keys are hashed; it is shorter for few keys only. */
const HASH_DIGITS = '9'.repeat(19);

/**
 * What no memcached takes of a workload, whatever its settings: keys that are too long or cannot be said, times to live
 * that it would round or misread. null: nothing.
 */
export function objectionTo(workload: Pick<Workload, 'keys' | 'mix'>): string | null {
  return objectionToKeys(workload) ?? workload.mix.map(objectionToLife).find((each) => each !== null) ?? null;
}

/** The workload itself. Throws PacecarError REQUEST_INVALID if there is an objection to it. */
export function checked(workload: Workload): Workload {
  const objection = objectionTo(workload);
  if (objection === null) return workload;
  throw new PacecarError('REQUEST_INVALID', `the workload ${workload.name}: ${objection}`);
}

function objectionToKeys(workload: Pick<Workload, 'keys' | 'mix'>): string | null {
  const { keys } = workload;
  const bad = [...keys.prefix, ...keys.suffix].find(isUnsayable);
  if (bad !== undefined)
    return (
      `its keys have the character ${JSON.stringify(bad)}; keys of a memcached have no blanks and no control ` +
      'characters'
    );
  const longest = longestKey(keys, largestKey(workload));
  const bytes = Buffer.byteLength(longest);
  if (bytes <= KEY_BYTES) return null;
  const shown = longest.length > SHOWN_CHARACTERS ? `${longest.slice(0, SHOWN_CHARACTERS)}...` : longest;
  return (
    `its longest key ${JSON.stringify(shown)} has ${bytes} bytes; a memcached takes keys of at most ${KEY_BYTES} ` +
    'bytes, so shorten the prefix or the suffix'
  );
}

function longestKey(keys: Keys, largest: number): string {
  if (keys.order === 'numeric') return keyText(keys, largest);
  return keys.prefix + HASH_DIGITS.padStart(keys.width, '0') + keys.suffix;
}

function isUnsayable(character: string): boolean {
  const code = character.codePointAt(0) as number;
  return code <= 32 || code === 127;
}

function objectionToLife({ name, timeToLiveMs }: Action): string | null {
  if (timeToLiveMs === null) return null;
  const says = `the time to live of ${name} is ${timeToLiveMs} ms`;
  if (timeToLiveMs % 1_000 !== 0) return `${says}; a memcached counts whole seconds`;
  if (timeToLiveMs > LONGEST_LIFE_S * 1_000)
    return `${says}; a memcached takes at most 30 days, and longer ones for a date`;
  return null;
}
