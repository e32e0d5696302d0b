/**
 * Puts what several lines hold into one order by age. Lines stand side by side in parts; all lines of a part are equally
 * long. The newest of every line come first, then the second newest ones; lines that have no more stand aside. Every
 * place has an age, and every age a place:
 *
 *   age = 0 .. total-1   <->   (part, line of the part, places back from the newest)
 */
export class AgeOrder {
  /** Of the age that was found last. */
  part = 0;
  line = 0;
  back = 0;
  total = 0;
  readonly #widths: ArrayLike<number>;
  /** Parts by length, the longest first, and how many lines stand before each of them. */
  #parts: number[] = [];
  readonly #linesBefore: Float64Array;
  /** Between two ends of lines: the first age, how far back it is, and how many parts reach that far. */
  readonly #firstAge: Float64Array;
  readonly #firstBack: Float64Array;
  readonly #reaching: Int32Array;
  #stretches = 0;

  /** `widths`: of each part, its lines. */
  constructor(widths: ArrayLike<number>) {
    this.#widths = widths;
    this.#linesBefore = new Float64Array(widths.length + 1);
    this.#firstAge = new Float64Array(widths.length);
    this.#firstBack = new Float64Array(widths.length);
    this.#reaching = new Int32Array(widths.length);
  }

  /** `lengths`: how much each line of each part holds. */
  arrange(lengths: ArrayLike<number>): void {
    const parts = Array.from({ length: this.#widths.length }, (_, part) => part);
    parts.sort((a, b) => (lengths[b] as number) - (lengths[a] as number));
    this.#parts = parts;
    parts.forEach((part, at) => {
      this.#linesBefore[at + 1] = (this.#linesBefore[at] as number) + (this.#widths[part] as number);
    });
    let age = 0;
    let back = 0;
    this.#stretches = 0;
    for (let reaching = parts.length; reaching > 0; reaching--) {
      const length = lengths[parts[reaching - 1] as number] as number;
      if (length === back) continue;
      const at = this.#stretches++;
      this.#firstAge[at] = age;
      this.#firstBack[at] = back;
      this.#reaching[at] = reaching;
      age += (length - back) * (this.#linesBefore[reaching] as number);
      back = length;
    }
    this.total = age;
  }

  /** Where age `age` stands, an integer in 0..total-1: `part`, `line`, `back`. */
  find(age: number): void {
    const stretch = lastUpTo(this.#firstAge, this.#stretches, age);
    const rest = age - (this.#firstAge[stretch] as number);
    const reaching = this.#reaching[stretch] as number;
    const lines = this.#linesBefore[reaching] as number;
    const line = rest % lines;
    const at = lastUpTo(this.#linesBefore, reaching, line);
    this.back = (this.#firstBack[stretch] as number) + (rest - line) / lines;
    this.part = this.#parts[at] as number;
    this.line = line - (this.#linesBefore[at] as number);
  }
}

/** The last of the first `count` numbers, which ascend from 0, that is not above `value`. */
function lastUpTo(numbers: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
