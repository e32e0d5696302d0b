/** So many take a few milliseconds: with less, a thread that finds everything would spend its time on turning. */
const MOST_AT_A_TIME = 1_024;

interface Waiting {
  /** Begins what may begin. */
  goOn(): void;
}

/**
 * An operation that a library answers by itself ends before the event loop turns, and so does the next one: nothing
 * else would ever be heard, neither answers of the target, nor what it says of changes, nor the end of the stage. So
 * the event loop gets its turn after a number of them, whichever connections of the thread they are on.
 */
export class LocalTurn {
  #answered = 0;
  #waiting: Waiting[] | null = null;
  readonly #next = (): void => {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#answered = 0;
    for (const each of waiting) each.goOn();
  };

  /** The target has answered something: the event loop has just had its turn. */
  turned(): void {
    if (this.#waiting === null) this.#answered = 0;
  }

  /** One was answered. False: what comes next waits, and `goOn` will be called. */
  mayGoOn(who: Waiting): boolean {
    this.#answered++;
    if (this.#answered < MOST_AT_A_TIME) return true;
    if (this.#waiting === null) {
      this.#waiting = [];
      setImmediate(this.#next);
    }
    this.#waiting.push(who);
    return false;
  }
}
