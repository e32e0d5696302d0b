export interface ReconnectPolicy {
  /** The first wait after a failed or cut connection; it doubles up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** How long to try for a first welcome before finishing with COORDINATOR_LOST; null: for ever. */
  readonly joinWithinMs: number | null;
}

/** How long to wait before the next attempt: doubling, and spread so that many workers do not knock in step. */
export class BackOff {
  readonly #policy: ReconnectPolicy;
  #random: number;
  #attempts = 0;

  constructor(policy: ReconnectPolicy, workerId: string) {
    this.#policy = policy;
    this.#random = 0x811c9dc5;
    for (let position = 0; position < workerId.length; position++)
      this.#random = Math.imul(this.#random ^ workerId.charCodeAt(position), 0x01000193) >>> 0;
  }

  /** Between half and the whole of the doubled wait. */
  nextMs(): number {
    const { firstMs, longestMs } = this.#policy;
    const waitMs = Math.min(longestMs, firstMs * 2 ** Math.min(this.#attempts, 30));
    this.#attempts++;
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return waitMs * (0.5 + this.#random / 2 ** 33);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
