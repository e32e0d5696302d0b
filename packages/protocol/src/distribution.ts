import { ByteReader, BytesInvalid, ByteWriter } from './bytes.js';
import { BUCKETS, bucketHighestNs, bucketIndex, bucketLowestNs, HIGHEST_NS } from './layout.js';
import { encodeCounts } from './recorder.js';

/**
 * A merged set of latencies: exact count, min, max and sum, and buckets of 3 significant digits.
 * Adding is associative and commutative and loses nothing: buckets are exact to 2^53-1, the sum has no bound.
 */
export class Distribution {
  readonly #counts = new Float64Array(BUCKETS);
  #lowestIndex = BUCKETS;
  #highestIndex = -1;
  #count = 0;
  #minimumNs = Number.POSITIVE_INFINITY;
  #maximumNs = 0;
  #sumNs = 0n;
  #saturated = 0;

  get count(): number {
    return this.#count;
  }
  /** Exact; null when empty. */
  get minimumNs(): number | null {
    return this.#count === 0 ? null : this.#minimumNs;
  }
  /** Exact, also above one hour; null when empty. */
  get maximumNs(): number | null {
    return this.#count === 0 ? null : this.#maximumNs;
  }
  get sumNs(): bigint {
    return this.#sumNs;
  }
  /** How many were above one hour and stand in the top bucket. */
  get saturated(): number {
    return this.#saturated;
  }
  /** From the exact sum; null when empty. */
  get meanNs(): number | null {
    if (this.#count === 0) return null;
    // Past 2^53 the division may round to a hair outside.
    return Math.min(Math.max(Number(this.#sumNs) / this.#count, this.#minimumNs), this.#maximumNs);
  }

  /**
   * The smallest recorded value that at least `ratio` (0..1) of all are at or below, to 3 digits, as
   * HdrHistogram reports it (highest value of its bucket), never outside the exact min..max. null when empty.
   */
  quantileNs(ratio: number): number | null {
    if (this.#count === 0) return null;
    if (ratio >= 1) return this.#maximumNs;
    // A product such as 0.07 * 100 lands a hair above the whole number that is meant.
    const exact = ratio * this.#count;
    const rounded = Math.round(exact);
    const rank = Math.max(1, Math.abs(exact - rounded) <= exact * 2 ** -50 ? rounded : Math.ceil(exact));
    let seen = 0;
    for (let index = this.#lowestIndex; index <= this.#highestIndex; index++) {
      seen += this.#counts[index] as number;
      if (seen >= rank) return Math.min(Math.max(bucketHighestNs(index), this.#minimumNs), this.#maximumNs);
    }
    return this.#maximumNs;
  }

  /** How many are at or below `limitNs`, to the resolution of the buckets. */
  countAtOrBelow(limitNs: number): number {
    let seen = 0;
    for (let index = this.#lowestIndex; index <= this.#highestIndex; index++) {
      if (bucketLowestNs(index) > limitNs) break;
      seen += this.#counts[index] as number;
    }
    return seen;
  }

  /** Every bucket in use, from the fastest. */
  *buckets(): Generator<{ lowestNs: number; highestNs: number; count: number }> {
    for (let index = this.#lowestIndex; index <= this.#highestIndex; index++) {
      const count = this.#counts[index] as number;
      if (count > 0) yield { lowestNs: bucketLowestNs(index), highestNs: bucketHighestNs(index), count };
    }
  }

  /** Empties it for another use: cheaper than a new one, whose 270 KB are zeroed as a whole. */
  clear(): void {
    if (this.#highestIndex >= 0) this.#counts.fill(0, this.#lowestIndex, this.#highestIndex + 1);
    this.#lowestIndex = BUCKETS;
    this.#highestIndex = -1;
    this.#count = 0;
    this.#minimumNs = Number.POSITIVE_INFINITY;
    this.#maximumNs = 0;
    this.#sumNs = 0n;
    this.#saturated = 0;
  }

  add(other: Distribution): void {
    if (other.#count === 0) return;
    for (let index = other.#lowestIndex; index <= other.#highestIndex; index++)
      (this.#counts[index] as number) += other.#counts[index] as number;
    this.#widen(other.#lowestIndex, other.#highestIndex);
    this.#tally(other.#count, other.#minimumNs, other.#maximumNs, other.#sumNs, other.#saturated);
  }

  /** Adds what `Recorder.encode` or `encode` wrote. Throws BytesInvalid, with nothing added, if the bytes are not such. */
  addEncoded(bytes: Uint8Array): void {
    const head = readEncoded(bytes);
    if (head === null) return;
    walkCounts(head.payload, this.#counts);
    this.#widen(head.lowestIndex, head.highestIndex);
    this.#tally(head.count, head.minimumNs, head.maximumNs, head.sumNs, head.saturated);
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(256);
    writer.varint(this.#count);
    if (this.#count > 0) {
      writer.varint(this.#minimumNs);
      writer.varint(this.#maximumNs);
      writer.bigVarint(this.#sumNs);
      writer.varint(this.#saturated);
      writer.block(this.encodeCounts());
    }
    return writer.finish();
  }

  /** The buckets alone, as an HdrHistogram V2 payload without head and zlib. */
  encodeCounts(): Uint8Array {
    return encodeCounts(this.#counts, this.#lowestIndex, this.#highestIndex);
  }

  #widen(lowestIndex: number, highestIndex: number): void {
    if (lowestIndex < this.#lowestIndex) this.#lowestIndex = lowestIndex;
    if (highestIndex > this.#highestIndex) this.#highestIndex = highestIndex;
  }

  #tally(count: number, minimumNs: number, maximumNs: number, sumNs: bigint, saturated: number): void {
    this.#count += count;
    if (minimumNs < this.#minimumNs) this.#minimumNs = minimumNs;
    if (maximumNs > this.#maximumNs) this.#maximumNs = maximumNs;
    this.#sumNs += sumNs;
    this.#saturated += saturated;
  }
}

/** How many values an encoded histogram holds, without merging it. Throws BytesInvalid if the bytes are not such. */
export function encodedCount(bytes: Uint8Array): number {
  return readEncoded(bytes)?.count ?? 0;
}

/**
 * The sum of an encoded histogram, ns, from its head alone: for whoever sums many that are checked where they are
 * merged. Throws BytesInvalid if the head is not one.
 */
export function encodedSumNs(bytes: Uint8Array): bigint {
  const reader = new ByteReader(bytes);
  if (reader.varint() === 0) return 0n;
  reader.varint();
  reader.varint();
  return reader.bigVarint();
}

/**
 * null for an empty histogram. Throws BytesInvalid unless count, minimum, maximum, sum and buckets agree: with that,
 * percentiles and mean lie within minimum and maximum whoever wrote the histogram.
 */
function readEncoded(bytes: Uint8Array) {
  const reader = new ByteReader(bytes);
  const count = reader.varint();
  if (count === 0) {
    if (reader.remaining > 0) throw new BytesInvalid('bytes after an empty histogram');
    return null;
  }
  const minimumNs = reader.varint();
  const maximumNs = reader.varint();
  const sumNs = reader.bigVarint();
  const saturated = reader.varint();
  const payload = reader.block();
  if (reader.remaining > 0) throw new BytesInvalid('bytes after the end of a histogram');
  const { total, lowestIndex, highestIndex } = walkCounts(payload, null);
  if (total !== count) throw new BytesInvalid(`a histogram of ${count} values whose buckets hold ${total}`);
  if (minimumNs > maximumNs) throw new BytesInvalid('a histogram with its minimum above its maximum');
  if (saturatingIndex(minimumNs) !== lowestIndex || saturatingIndex(maximumNs) !== highestIndex)
    throw new BytesInvalid('a histogram whose minimum and maximum are not in its first and last bucket');
  if (sumNs < BigInt(minimumNs) * BigInt(count) || sumNs > BigInt(maximumNs) * BigInt(count))
    throw new BytesInvalid('a histogram whose sum does not fit its minimum and maximum');
  if (saturated > count || saturated > 0 !== maximumNs > HIGHEST_NS)
    throw new BytesInvalid('a histogram whose saturated count does not fit its maximum');
  return { count, minimumNs, maximumNs, sumNs, saturated, payload, lowestIndex, highestIndex };
}

/** Reads a V2 payload, adds it to `counts` if given, and says what it holds. Throws BytesInvalid. */
function walkCounts(
  payload: Uint8Array,
  counts: Float64Array | null,
): { total: number; lowestIndex: number; highestIndex: number } {
  const reader = new ByteReader(payload);
  let index = 0;
  let total = 0;
  let lowestIndex = BUCKETS;
  let highestIndex = -1;
  while (reader.remaining > 0) {
    const value = reader.zigzag();
    if (value < 0) {
      index -= value;
      continue;
    }
    if (index >= BUCKETS) throw new BytesInvalid('a histogram has more buckets than its range');
    if (value > 0) {
      if (counts !== null) (counts[index] as number) += value;
      if (lowestIndex === BUCKETS) lowestIndex = index;
      highestIndex = index;
      total += value;
    }
    index++;
  }
  return { total, lowestIndex, highestIndex };
}

function saturatingIndex(latencyNs: number): number {
  return bucketIndex(Math.min(latencyNs, HIGHEST_NS));
}
