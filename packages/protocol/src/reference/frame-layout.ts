import { encodeFrame } from '../frame.js';
import { NOTE_MEANINGS, NOTES } from '../note.js';
import { FRAME_EXAMPLE } from './examples.js';

/** Binary layout of a frame and of the histograms in it, with an example that a test of the codec can use. */
export function frameLayout(): string {
  return `## Frames

A frame is one binary WebSocket message: what one worker counted in one interval of one stage. Numbers are
- **u32**: 4 bytes, most significant first;
- **f32**: IEEE 754 single precision, most significant byte first;
- **varint**: unsigned LEB128 (7 bits a byte, least significant first, bit 7 set on all but the last byte), 0..2^53-1;
- **big varint**: the same without that bound, at most 19 bytes;
- **zigzag**: a signed integer n as the varint 2n, or -2n-1 if n is negative;
- **block**: varint length in bytes, then the bytes; **text**: a block of UTF-8.

| part | encoding | meaning |
|---|---|---|
| magic | u32 | \`0x50434631\`, "PCF1" |
| epoch, worker, cell, stage | 4 varints | whose frame it is |
| sequence | varint | 0, 1, 2 ... within (epoch, worker, cell, stage) |
| interval | varint | floor(time since the stage's start / interval length): equal on all workers |
| start, end | 2 varints | true extent of the interval, ns since the stage's start; end >= start |
| first operation | varint | 0: none in this frame; n + 1: the stage's first operation began n ns after its start, or after its own due time |
| CPU user, CPU system | 2 varints | CPU time of the whole worker process in this interval, us |
| resident | varint | bytes of memory |
| threads | varint count | then for each engine thread: |
| - utilisation | f32 | of its event loop, 0..1 |
| - delay | varint | longest delay of its event loop, ns |
| rows | varint count | then for each workload and operation: |
| - workload, operation | 2 texts | |
| - sent | varint | handed to the target in this interval |
| - ok | varint | answered without error |
| - hits, misses | 2 varints | of \`ok\`, for operations that can miss |
| - timeouts, aborted | 2 varints | too late; in flight when the connection or the stage ended |
| - late, dropped | 2 varints | open model: begun behind the schedule; never begun (not part of \`sent\`) |
| - bytes sent, bytes received | 2 varints | on the connections to the target |
| - in flight | varint | at the interval's end |
| - error kinds | varint count | then for each kind (no kind twice): |
| -- kind | text | \`[A-Z][A-Z0-9_]*\`: first word of the error reply, or a kind of Pacecar's own (VALUE_MISMATCH) |
| -- count | varint | |
| - service | block | histogram: sent to answered, of \`ok\` operations |
| - response | block | histogram: intended start to answered, of \`ok\` operations; empty without a schedule |
| - failed | block | histogram: sent to error reply or timeout |
| - pacing | block | histogram: the generator's own error: due, and room for it on its connection, to sent; empty without a schedule |
| workloads with inserts | varint count | left out with all that follows if there are neither these nor notes; else for each workload whose inserts others read: |
| - workload | text | |
| - slices | varint count | then for each slice of this worker's connections: |
| -- rounds | varint count | of numbers: from, below, and the failed ones between them, ascending |
| -- each | varint | |
| notes | | left out if there are none; else for each row, in their order: |
| - kinds | varint count | then for each kind (no kind twice): |
| -- kind | text | ${NOTES.map((note) => `\`${note}\`: ${NOTE_MEANINGS[note]}`).join('; ')} |
| -- count | varint | |

Nothing follows. In every frame, with sums over the stage so far:
sent = ok + errors + timeouts + aborted + in flight.

### Histograms

Latencies in ns, 3 significant digits. An empty histogram is one byte, 0. Otherwise:

| part | encoding | meaning |
|---|---|---|
| count | varint | of all values |
| minimum, maximum | 2 varints | exact, ns; the maximum also above one hour |
| sum | big varint | exact, ns |
| saturated | varint | how many were above one hour; they stand in the bucket of 3,600,000,000,000 ns |
| counts | block | zigzag numbers from bucket 0 on: n >= 0 is the count of a bucket, -n (n > 1) stands for n empty buckets; it ends with the last bucket in use |

The counts are the payload of the HdrHistogram V2 encoding (without its head and zlib) for lowest value 1, highest
3,600,000,000,000, 3 digits. Bucket of a value v: v itself below 2048; above, with s = floor(log2 v) - 10, it is
1024 s + floor(v / 2^s). Count, minimum, maximum, sum and saturated have to agree with the buckets; a frame in which
they do not is refused.

### Example

This frame

\`\`\`json
${JSON.stringify(FRAME_EXAMPLE, (_, value) => (value instanceof Uint8Array ? hex(value) : value), 2)}
\`\`\`

(histograms in hexadecimal) is these bytes:

\`\`\`
${hex(encodeFrame(FRAME_EXAMPLE))
  .replace(/(.{64})/g, '$1\n')
  .trimEnd()}
\`\`\`
`;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
