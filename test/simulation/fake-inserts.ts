import {
  type Arm,
  type InsertedRounds,
  insertSlices,
  LIMITS,
  sharesInserts,
  type WorkerInserts,
  type WorkloadInserts,
} from '@pacecar/protocol';
import { type Deed, type Ledger, placeKey } from './ledger.js';
import type { Random } from './random.js';
import type { World } from './world.js';

/** What an engine inserts and hears of others: everything it hears must be something that they have said before. */
export class FakeInserts {
  readonly #arm: Arm;
  readonly #deed: Deed;
  readonly #ledger: Ledger;
  readonly #random: Random;
  /** By slice. */
  readonly #slices: InsertedRounds[] = [];

  constructor(arm: Arm, deed: Deed, ledger: Ledger, random: Random) {
    this.#arm = arm;
    this.#deed = deed;
    this.#ledger = ledger;
    this.#random = random;
    const workload = arm.spec.workloads[0];
    const { of, index } = arm.share;
    if (workload === undefined || of === 1 || arm.spec.end.kind === 'keys' || !sharesInserts(workload))
      return;
    this.#slices = insertSlices(workload, of, index).map(() => [0, 0]);
  }

  /** For the next frame: every slice has gone on. */
  report(): WorkloadInserts[] {
    if (this.#slices.length === 0) return [];
    this.#slices.forEach(([from = 0, below = 0, ...failed], slice) => {
      const fails = failed.length < LIMITS.failedInserts && this.#random.chance(0.1) ? [below] : [];
      this.#slices[slice] = [from, below + this.#random.integer(1, 20), ...failed, ...fails];
    });
    this.#deed.inserted.push(JSON.stringify(this.#slices));
    return [{ workload: this.#arm.spec.workloads[0]?.name ?? '', slices: [...this.#slices] }];
  }

  learn(inserts: readonly WorkerInserts[], world: World): void {
    const { epoch, cell, stage } = this.#arm;
    for (const { workload, worker, slices } of inserts) {
      const who = [...this.#ledger.deeds.values()].find(
        (deed) =>
          placeKey({ ...deed, worker: 0 }) === placeKey({ epoch, cell, stage, worker: 0 }) &&
          deed.share === worker,
      );
      const said = who?.inserted.indexOf(JSON.stringify(slices)) ?? -1;
      const name = `${this.#deed.process} in stage ${cell}/${stage}`;
      if (workload !== 0 || said < 0)
        world.violate(`${name} is told of inserts that share ${worker} never had: ${JSON.stringify(slices)}`);
      if (said < (this.#deed.heard.get(worker) ?? -1))
        world.violate(`${name} is told of older inserts of share ${worker} than before`);
      this.#deed.heard.set(worker, said);
    }
  }
}
