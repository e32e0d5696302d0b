interface Happening {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
}

/** True time, which no process can see, and everything that is going to happen. */
export class World {
  nowMs = 0;
  /** null: nobody reads it, so nothing is written. */
  readonly trace: string[] | null;
  /** What was found to be wrong; the first ends the simulation. */
  readonly violations: string[] = [];
  readonly #heap: Happening[] = [];
  #order = 0;

  constructor(traced: boolean) {
    this.trace = traced ? [] : null;
  }

  /** One line of the trace; `text` is only made when somebody reads it. */
  say(who: string, text: () => string): void {
    this.trace?.push(`${this.nowMs.toFixed(2).padStart(10)}  ${who.padEnd(14)} ${text()}`);
  }

  violate(text: string): void {
    this.violations.push(`${text} (at ${this.nowMs.toFixed(2)} ms)`);
    this.say('INVARIANT', () => text);
  }

  after(delayMs: number, happen: () => void): void {
    const happening = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, happen };
    const heap = this.#heap;
    let position = heap.push(happening) - 1;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (before(heap[parent] as Happening, happening)) break;
      heap[position] = heap[parent] as Happening;
      position = parent;
    }
    heap[position] = happening;
  }

  /** Lets happen what is due until `done`, a violation, or the end of time. */
  run(done: () => boolean, endMs: number): void {
    while (this.violations.length === 0 && !done()) {
      const next = this.#take();
      if (next === null || next.atMs > endMs) {
        this.nowMs = Math.max(this.nowMs, Math.min(endMs, next?.atMs ?? endMs));
        return;
      }
      this.nowMs = next.atMs;
      next.happen();
    }
  }

  #take(): Happening | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length === 0) return first;
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Happening, heap[child] as Happening)) child++;
      if (before(last, heap[child] as Happening)) break;
      heap[position] = heap[child] as Happening;
      position = child;
    }
    heap[position] = last;
    return first;
  }
}

function before(a: Happening, b: Happening): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
