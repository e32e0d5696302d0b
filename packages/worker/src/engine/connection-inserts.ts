import type { InsertRounds } from './insert-rounds.js';

const UNKNOWN = 0;
const WRITTEN = 1;
const FAILED = 2;

/** The inserts of one connection: gives their keys, and publishes them once they are acknowledged. */
export class ConnectionInserts {
  /** The key of a round. */
  readonly keyOf: (round: number) => number;
  readonly #rounds: InsertRounds;
  readonly #part: number;
  #next = 0;
  /** Inserts below this have ended. */
  #endedBelow = 0;
  /** How those from there on ended, in a ring; a power of two. */
  #ends = new Uint8Array(64);

  /** `part`: of `rounds`, which this connection alone writes. */
  constructor(keyOf: (round: number) => number, rounds: InsertRounds, part: number) {
    this.keyOf = keyOf;
    this.#rounds = rounds;
    this.#part = part;
  }

  /** The insert that was taken last is not made; the next one takes its number. */
  giveBack(): void {
    this.#next--;
  }

  /** The number of the next insert. */
  take(): number {
    if (this.#next - this.#endedBelow === this.#ends.length) this.#grow();
    return this.#next++;
  }

  /** Insert `number` has ended: its key is there, or nobody knows. */
  ended(number: number, isWritten: boolean): void {
    const ends = this.#ends;
    const mask = ends.length - 1;
    ends[number & mask] = isWritten ? WRITTEN : FAILED;
    if (number !== this.#endedBelow) return;
    let below = number;
    for (; below < this.#next; below++) {
      const end = ends[below & mask];
      if (end === UNKNOWN) break;
      ends[below & mask] = UNKNOWN;
      if (end === FAILED) this.#rounds.fail(this.#part, below);
    }
    this.#endedBelow = below;
    this.#rounds.advance(this.#part, below);
  }

  #grow(): void {
    const grown = new Uint8Array(this.#ends.length * 2);
    for (let number = this.#endedBelow; number < this.#next; number++)
      grown[number & (grown.length - 1)] = this.#ends[number & (this.#ends.length - 1)] as number;
    this.#ends = grown;
  }
}
