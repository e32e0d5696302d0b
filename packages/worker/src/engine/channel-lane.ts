import type { Lane } from './lane.js';

/** What a connection asks of its lane and tells it. A channel of several connections stands between them and its own. */
export type ChannelLane = Pick<
  Lane,
  | 'depth'
  | 'stream'
  | 'slot'
  | 'inFlight'
  | 'take'
  | 'wrote'
  | 'wroteIn'
  | 'operationIn'
  | 'keyIn'
  | 'batchKeyIn'
  | 'fieldIn'
  | 'begin'
  | 'succeed'
  | 'succeedItems'
  | 'fail'
  | 'end'
  | 'opened'
  | 'refused'
  | 'cut'
>;
