import type { Event, Manifest, Plan } from '@pacecar/protocol';

/** A bundle as the report reads it: the caller opens the files, the report never does. */
export interface BundleSource {
  readonly plan: Plan;
  /** scenario.yaml as it stands in the bundle (secrets replaced); '' when there is none. */
  readonly scenarioText: string;
  readonly events: readonly Event[];
  /** null when the bundle was never sealed: the run is still going, or its coordinator died. */
  readonly manifest: Manifest | null;
  /** facts/command.json: as typed, secrets replaced. Read from the manifest when left out. */
  readonly commandLine?: readonly string[] | null;
  /** Every frame of the record, each whole and encoded, in any order. May be called more than once. */
  frames(): Iterable<Uint8Array>;
  /** One sentence for each thing of the bundle that could not be read. */
  readonly damage: readonly string[];
}
