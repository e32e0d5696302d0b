/** What the messages do together: the part of the reference that no schema can say. */
export const SEQUENCES = `## Transport

The worker dials the coordinator (\`ws://host:2103\` or \`wss://host:2103\`, any path), offers the subprotocol, and does
not offer compression. Control messages are text: one JSON object each, of the shapes below; fields that a receiver
does not know are ignored, fields that are missing or out of their range make the message invalid. Frames are binary
and go from worker to coordinator only. There are no WebSocket pings; liveness has messages of its own.

Times are milliseconds of the worker's own monotonic clock wherever a message says \`Ms\` of a moment. No message
needs the wall clocks of two machines to agree.

An **epoch** numbers the run. Every message and frame that belongs to a run carries it; the coordinator refuses those
of another run with \`EPOCH_STALE\`, a worker ignores them. A message that is invalid, too large, or not allowed at that
moment is answered by \`refuse\` and the connection is closed; nobody else is disturbed.

## Sequences

### Joining

\`\`\`
worker                                   coordinator
  | hello ------------------------------->|   version, token, group and name are checked
  |<------------------------------ welcome|   or refuse, and the connection is closed
  |<--------------------------------- ping|   8 in a row, one at a time
  | pong ------------------------------->|
  |<---------------------------- heartbeat|   both ways, every heartbeatMs, until the end
  | heartbeat --------------------------->|
\`\`\`

- \`hello\` comes first, within 10 s of the connection, and has at most 256 KiB. \`welcome\` tells the worker its index in the run: groups have
  their workers side by side in the order of the plan. A worker may leave name, group and index to the coordinator.
- Clock: the coordinator takes the worker's time from the exchange with the smallest round trip of a burst:
  offset = workerMs - (sent + received) / 2, known to half the round trip. Bursts run after each welcome and when a
  worker is armed, single exchanges every 2 s. A worker answers a ping at once, from a thread that load cannot block.
- Lease: a worker that has heard nothing of its run for \`leaseMs\` stops its load by itself. A worker of which the
  coordinator has heard nothing for the plan's \`lostAfterMs\` is lost; if it comes back, it is refused.

### A stage

\`\`\`
worker                                   coordinator
  |<---------------------------------- arm|   to each worker of the stage's group
  | armed ------------------------------->|   all connections are open (or failed)
  |            ... until every worker is armed and every clock is fresh ...
  |<----------------------------------- go|   the same moment for all, in each worker's own clock
  | frame 0, frame 1 ... ---------------->|   one for each interval
  |<-------------------------- acknowledge|   up to which frame the bundle holds them, on disk
  | drained ----------------------------->|   after the last frame
  |            ... until every worker has drained and every frame is kept: the barrier ...
  |<---------------------------------- arm|   the next stage, or end
\`\`\`

- Amounts with scope \`total\` are shared by share(total, of, index) = floor(total / of) + (1 if index < total mod of,
  else 0), with \`index\` and \`of\` of the arm message; those with scope \`worker\` belong to each worker.
  Within a worker they are shared among its connections in the same way.
- A worker starts at \`startAtMs\` of its clock, sends at most what its share allows, ends as \`spec.end\` says, waits up to
  \`drainMs\` for what is in flight, counts the rest as aborted, sends its last frame and then \`drained\`, whose totals are
  the sums of its frames. A stage without an operation may end with no frame at all: \`lastSequence\` is -1.
- Frames are numbered from 0 and sent in order without a gap. A worker keeps each until it is acknowledged, at most
  600; when there is no room it ends its load and says \`failed\`.
- \`stop\` ends a stage early: drain, last frames, \`drained\`. A stage that was armed and never started drains at once
  with no frame.
- \`failed\` instead of \`armed\` or \`drained\` ends the run, with the worker's code and reason.

### Services

\`\`\`
worker                                   coordinator
  |<---------------------------------- arm|   spec.action: start; with the service, and no workloads
  | armed {nodes} ----------------------->|   what it runs is there and its ports are held; nothing runs yet
  |<--------------------------- go {peers}|   the processes of all workers
  | drained {report} -------------------->|   the whole service is ready; no frames
  |<---------------------------------- arm|   of a load stage: configuration.target has the address
  | service-died ------------------------>|   a process has ended by itself, at any time: the run ends
\`\`\`

- Other actions (stop, restart, wait, clear, snapshot, fault) and stages that only wait go the same way. A fault means the
  processes of \`peers\` that its role and index name; \`away\` are those that a fault has killed.
- A worker ends what it runs when it leaves its run, for whatever reason; also when its lease runs out or it is killed.

### Stages beside each other

\`\`\`
worker                                   coordinator
  |<------------------- arm, go of stage 1|   spec.end is {"kind": "stage", "stage": "measure"}: a background stage
  |<----------------------- arm of stage 2|   at once; stage 1 goes on
  | frames of both, in any order -------->|   each stage has its own numbers and acknowledgements
  | drained of stage 2 ------------------>|   it is the one named measure, and its barrier closes
  |<---------------------- stop of stage 1|
  | drained of stage 1 ------------------>|   its barrier closes; only then is the next stage armed
\`\`\`

- A stage whose \`spec.end\` is of kind \`stage\` has no end of its own: it goes on until \`stop\`, whatever its connections
  do. Its workers may be those of the stages beside it or others.
- The arm of another stage of the same cell leaves a background stage alone. It ends whatever else the worker still has, and
  that of another cell ends everything: the coordinator has kept all of it by then.
- After a reconnect both sides say again what may be missing of every stage under way.

### Inserted keys

Operations that insert write keys that nobody has written, disjoint over all workers and connections without a message:
round j of connection c of the worker with \`index\` i writes the key with the number
first + (j x connections + c) x workers + i, where \`connections\` are this worker's of the workload, \`workers\` those that
have one, and first is the largest key of all workloads of the stage + 1 + (stage x 32 + workload) x 2^34. An insert
that was due and never begun gives its round to the next one; one that failed keeps it.

\`\`\`
worker                                   coordinator
  | frame, with what it has inserted ---->|
  |<----------------------------- inserted|   about once in an interval, if something has changed
\`\`\`

- Only where a workload inserts and also reads with distribution \`latest\`, in a stage of several workers.
- A worker tells its connections in slices: as many as it has connections, at most 32, and at most 2,048 / workers (but
  one). The slices lie side by side, slice p with share(connections, slices, p) of them. A slice goes at the pace of the
  slowest of its connections: a round counts once it has ended on all of them, and has failed if it failed on one.
- A worker reads what others have inserted from \`inserted\` alone; it may hear of itself, too. What is told only
  grows: late, again, or after a reconnect, it does no harm. What does not fit into one message comes with the next.

### A cut connection

\`\`\`
worker                                   coordinator
  | hello, resumeEpoch = epoch ---------->|   the same workerId and generation
  |<------------------------------ welcome|   the same index
  | every frame not acknowledged -------->|   in order, then armed, drained or failed if that is its state
  |<-------------- acknowledge, arm, go ...|  whatever the worker may have missed
\`\`\`

- The load goes on while the connection is cut; both sides say again what the other may not have received, and take
  what they already have for what it is: a frame is merged once, an order is carried out once.
- Reconnects wait between half and the whole of a doubling back-off, so that many workers do not return in step.
- A process that was started anew has a higher generation. Before the run it takes the old one's place; in mid-run it
  is refused with \`TOO_LATE\`, and the old one is lost.

### The end

\`end\` says how the run ended; the worker ends its connection, and leaves or waits for another run as it was started.
A worker that ends by its own decision says \`leaving\`. Both are courtesies: a connection that is simply gone comes to
the same, a little later.

## What the protocol leaves to the worker

Which key and which operation comes next is a function of the stage's seed, the worker, the connection and the number of
the operation; which function is the worker's affair, as long as equal plans give equal streams. What a value looks
like matters to others only where \`checkValues\` is set: then all workers of a run have to write the values that
\`packages/worker/src/engine/value-source.ts\` describes (a mark made of key and length, then a text that all share,
\`shared-text.ts\`).`;
