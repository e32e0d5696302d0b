/** What ends a line, in both protocols. */
export const CR = 13;
export const LF = 10;

/** What was received is not the protocol that was expected. `seen` is its beginning, printable, for a person. */
export class ReplyInvalid extends Error {}

/** The first bytes of what was received, for an error message. */
export function beginning(bytes: Uint8Array, at: number, end: number): string {
  let text = '';
  for (let index = Math.max(0, at - 20); index < Math.min(end, at + 40); index++) {
    const byte = bytes[index] as number;
    if (byte === CR || byte === LF) {
      if (index >= at) break;
      text = '';
    } else {
      text += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '?';
    }
  }
  return text;
}
