import { type ByteReader, BytesInvalid, type ByteWriter } from './bytes.js';
import { LIMITS } from './limits.js';
import { isNote, type Note, NOTES, type Notes } from './note.js';

/** The very last part of a frame, where any row has notes: those of each row. */
export function writeNotes(writer: ByteWriter, rows: readonly { readonly notes?: Notes }[]): void {
  for (const { notes = {} } of rows) {
    const some = NOTES.flatMap((note) => {
      const count = notes[note];
      return count === undefined ? [] : [[note, count] as const];
    });
    writer.varint(some.length);
    for (const [note, count] of some) {
      writer.text(note);
      writer.varint(count);
    }
  }
}

/** Notes of so many rows; undefined where a row has none. Throws BytesInvalid. */
export function readNotes(reader: ByteReader, rows: number): (Notes | undefined)[] {
  const read = Array.from({ length: rows }, () => readRow(reader));
  if (read.every((notes) => notes === undefined)) throw new BytesInvalid('a part for notes without any');
  return read;
}

function readRow(reader: ByteReader): Notes | undefined {
  const notes: Partial<Record<Note, number>> = {};
  const count = reader.count(NOTES.length, 'notes');
  for (let left = count; left > 0; left--) {
    const note = reader.text(LIMITS.errorKindLength);
    if (!isNote(note)) throw new BytesInvalid(`${JSON.stringify(note)} is no note`);
    if (notes[note] !== undefined) throw new BytesInvalid(`the note ${note} twice in a row`);
    notes[note] = reader.varint();
  }
  return count === 0 ? undefined : notes;
}
