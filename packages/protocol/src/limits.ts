/**
 * Every bound of the protocol in one place, each with its reason. A peer that goes past one is refused with
 * the code `LIMIT_EXCEEDED`; nothing is cut silently.
 */
export const LIMITS = {
  /** First message of a connection: facts of a host and 100 drivers fit; a stranger gets no more attention than that. */
  helloBytes: 256 * 1024,
  /** A plan of 10,000 cells x 20 stages is far below this; garbage and floods are not. */
  controlMessageBytes: 4 * 1024 * 1024,
  /** 64 rows x 3 histograms x 34 KB (every bucket in use, one byte each) fit with room. */
  frameBytes: 8 * 1024 * 1024,
  /** What `ws` accepts at all: the larger of the two above. */
  socketMessageBytes: 8 * 1024 * 1024,
  /** locust saturates near 1,279 workers; five thousand is this design's budget. */
  workers: 5_000,
  /** Many times what 256 random bits take in any spelling; what is longer is another file given by mistake. */
  tokenBytes: 512,
  /** Names stand in file names, tables and URLs. */
  nameLength: 100,
  /** A readable bundle; more cells belong in several scenarios. */
  cells: 10_000,
  stagesPerCell: 200,
  workloadsPerStage: 32,
  /** Each action is a row; the workloads of a stage share the rows of a frame. */
  actionsPerMix: 100,
  rowsPerFrame: 256,
  /** Kinds come from the target's error replies: bounded, so that a hostile target cannot fill memory. */
  errorKindsPerRow: 32,
  errorKindLength: 40,
  threadsPerWorker: 256,
  connectionsPerWorker: 100_000,
  depth: 100_000,
  /** One hour: the top of the latency range. */
  latencyNs: 3_600_000_000_000,
  /** Counts are exact integers in a double up to here. */
  count: Number.MAX_SAFE_INTEGER,
  services: 100,
  /** A cluster of 500 masters with a replica each; more processes of one service belong on other machines. */
  serviceNodes: 1_000,
  /** Dumps and logs of a server; more are not listed. */
  serviceFiles: 50,
  /** The end of a log, which explains a failure; a thousand of them must fit into a control message. */
  serviceLogCharacters: 64 * 1024,
  /** Redis' own limit for a string. */
  valueBytes: 512 * 1024 * 1024,
  /** Parts into which the connections of a worker are put together when it tells others what it has inserted ... */
  insertSlicesPerWorker: 32,
  /** ... and of all workers of a stage: what a worker hears of all others stays near 30 KB. */
  insertSlicesPerStage: 2_048,
  /** Failed inserts that are told of one such part; keys that are older than so many of them are not drawn any more. */
  failedInserts: 13,
  /** Inserts of one connection whose keys are drawn; later ones are written only. A day and a half at 16,000 a second. */
  insertRounds: 2 ** 31 - 1,
  /** Numbers in one `inserted`: two for each part and one for each of its failures. */
  insertedNumbers: 8_192,
  /** Frames that a worker keeps until they are acknowledged: 10 minutes at one a second. */
  unacknowledgedFrames: 600,
} as const;
