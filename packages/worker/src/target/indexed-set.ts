/** Strings, each once, of which one can be picked at random or by its place. */
export class IndexedSet {
  readonly #members: string[] = [];
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#members.length;
  }

  has(member: string): boolean {
    return this.#places.has(member);
  }

  add(member: string): boolean {
    if (this.#places.has(member)) return false;
    this.#places.set(member, this.#members.length);
    this.#members.push(member);
    return true;
  }

  /** The last member takes its place. */
  delete(member: string): boolean {
    const place = this.#places.get(member);
    if (place === undefined) return false;
    this.#places.delete(member);
    const last = this.#members.pop() as string;
    if (last !== member) {
      this.#members[place] = last;
      this.#places.set(last, place);
    }
    return true;
  }

  at(place: number): string {
    return this.#members[place] as string;
  }

  members(): readonly string[] {
    return this.#members;
  }
}
