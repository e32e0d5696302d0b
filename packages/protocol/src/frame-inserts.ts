import { type ByteReader, BytesInvalid, type ByteWriter } from './bytes.js';
import { areRounds, type InsertedRounds, type WorkloadInserts } from './inserts.js';
import { LIMITS } from './limits.js';

/** Behind the rows of a frame, where workers read what others insert. */
export function writeInserts(writer: ByteWriter, inserts: readonly WorkloadInserts[]): void {
  writer.varint(inserts.length);
  for (const { workload, slices } of inserts) {
    writer.text(workload);
    writer.varint(slices.length);
    for (const rounds of slices) {
      writer.varint(rounds.length);
      for (const number of rounds) writer.varint(number);
    }
  }
}

/** Throws BytesInvalid. */
export function readInserts(reader: ByteReader): WorkloadInserts[] {
  const inserts: WorkloadInserts[] = [];
  const count = reader.count(LIMITS.workloadsPerStage, 'workloads');
  // Only because there is another part behind it.
  if (count === 0 && reader.remaining === 0) throw new BytesInvalid('a part for inserts without any');
  for (let left = count; left > 0; left--) {
    const workload = reader.text(LIMITS.nameLength * 4);
    const slices: InsertedRounds[] = [];
    for (let more = reader.count(LIMITS.insertSlicesPerWorker, 'slices of inserts'); more > 0; more--)
      slices.push(readRounds(reader));
    inserts.push({ workload, slices });
  }
  return inserts;
}

function readRounds(reader: ByteReader): InsertedRounds {
  const rounds: number[] = [];
  for (let left = reader.count(2 + LIMITS.failedInserts, 'numbers of inserts'); left > 0; left--)
    rounds.push(reader.varint());
  if (areRounds(rounds)) return rounds;
  throw new BytesInvalid(`rounds of inserts that are none: ${rounds.join(' ')}`);
}
