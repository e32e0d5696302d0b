import { shown } from './decimal.js';
import { bad, good, type Reading } from './reading.js';

const VOTE_FORM = '2 of 3, from 1 to 10 each';
const MOST = 10;

/** So many of so many. */
export interface Vote {
  readonly needed: number;
  readonly of: number;
}

/** `2 of 3`. */
export function readVote(text: string): Reading<Vote> {
  const match = /^\s*(\d{1,6})\s+of\s+(\d{1,6})\s*$/.exec(text);
  if (match === null) return bad(`${shown(text)} is no vote; write ${VOTE_FORM}`);
  const [needed, of] = [Number(match[1]), Number(match[2])];
  if (needed < 1 || of > MOST) return bad(`${shown(text)} is out of range; allowed: ${VOTE_FORM}`);
  if (needed > of) return bad(`${shown(text)} can never be reached; allowed: ${VOTE_FORM}`);
  return good({ needed, of });
}
