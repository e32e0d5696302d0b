import type { Totals } from '@pacecar/protocol';

/** What one engine truly did in one stage. */
export interface Deed {
  readonly epoch: number;
  readonly cell: number;
  readonly stage: number;
  readonly worker: number;
  /** Its index among the workers of the stage, and how many these are. */
  readonly share: number;
  readonly shares: number;
  readonly process: string;
  /** By sequence, as handed to the session. */
  readonly frames: Uint8Array[];
  /** What it has said of its inserts, frame by frame; and by share which of these it was told of others last. */
  readonly inserted: string[];
  readonly heard: Map<number, number>;
  /** True time of its first operation. */
  startedAtMs: number | null;
  /** Later than it was told to start, by its own clock, ms. */
  lateMs: number;
  /** True time at which the load ended, however. */
  endedAtMs: number | null;
  /** Set once it has drained of itself or when told to stop. */
  totals: readonly Totals[] | null;
  stopped: boolean;
  /** It has told other totals than it counted. */
  lied: boolean;
}

export interface Place {
  readonly epoch: number;
  readonly cell: number;
  readonly stage: number;
  readonly worker: number;
}

export const placeKey = ({ epoch, cell, stage, worker }: Place): string =>
  `${epoch}:${cell}/${stage} w${worker}`;

/** The truth, kept beside the world: nothing of it passes through the cores. */
export class Ledger {
  readonly deeds = new Map<string, Deed>();
  /** By place: frames 0 .. durable stand on the coordinator's disk, warm-ups included. */
  readonly durable = new Map<string, number>();

  begin(place: Place, share: { readonly index: number; readonly of: number }, process: string): Deed {
    const deed: Deed = {
      ...place,
      share: share.index,
      shares: share.of,
      process,
      frames: [],
      inserted: [],
      heard: new Map(),
      startedAtMs: null,
      lateMs: 0,
      endedAtMs: null,
      totals: null,
      stopped: false,
      lied: false,
    };
    this.deeds.set(placeKey(place), deed);
    return deed;
  }
}
