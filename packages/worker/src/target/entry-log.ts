/** A stream: entries with ever higher ids, at the end of which new ones stand. */
export class EntryLog {
  readonly #entries: { readonly id: string; readonly fields: readonly Buffer[] }[] = [];
  #milliseconds = 0;
  #sequence = 0;

  get length(): number {
    return this.#entries.length;
  }

  /** Adds an entry under the next id of this time, and returns the id. */
  add(nowMs: number, fields: readonly Buffer[]): string {
    if (nowMs > this.#milliseconds) {
      this.#milliseconds = nowMs;
      this.#sequence = 0;
    } else {
      this.#sequence++;
    }
    const id = `${this.#milliseconds}-${this.#sequence}`;
    this.#entries.push({ id, fields });
    return id;
  }

  /** Drops the oldest until so many are left. */
  trim(most: number): void {
    if (this.#entries.length > most) this.#entries.splice(0, this.#entries.length - most);
  }
}
