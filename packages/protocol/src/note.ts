/** What happens on the way to an answer and is neither an outcome nor an error, each with what is counted. */
export const NOTE_MEANINGS = {
  NEAR_CACHE: 'items that a client answered from its own near cache: the target was not asked for them',
  MOVED: 'answers of a node of a cluster that another one has the key now; the operation went on there',
  ASK: 'answers of a node that the key is on its way to another one; the operation went on there',
  RETRIED: 'answers of a cluster that it cannot serve the key just now; the operation was said again',
} as const;
export type Note = keyof typeof NOTE_MEANINGS;
export type Notes = Readonly<Partial<Record<Note, number>>>;

export const NOTES = Object.keys(NOTE_MEANINGS) as readonly Note[];

export function isNote(text: string): text is Note {
  return Object.hasOwn(NOTE_MEANINGS, text);
}

/** What is there of both; left out where neither has any. */
export function addNotes(a: Notes | undefined, b: Notes | undefined): { readonly notes?: Notes } {
  if (a === undefined || b === undefined) {
    const notes = a ?? b;
    return notes === undefined ? {} : { notes };
  }
  const sum: Partial<Record<Note, number>> = { ...a };
  for (const note of NOTES) {
    const count = b[note];
    if (count !== undefined) sum[note] = (sum[note] ?? 0) + count;
  }
  return { notes: sum };
}
