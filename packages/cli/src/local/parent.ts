/**
 * Seen from a process that another pacecar process started (PacecarChild): calls `gone` when that one has died,
 * however it died, and leaves Ctrl-C to it, since a terminal sends SIGINT to the whole process group and the run must
 * end in order. Returns false, and does nothing, in a process that a person started.
 */
export function followParent(gone: () => void): boolean {
  if (process.channel === undefined) return false;
  process.on('SIGINT', () => {});
  process.once('disconnect', gone);
  return true;
}
