/** Times of the run core that no plan sets, each with its reason. */

/** A socket that has not said hello by then is closed: a port scanner must not hold one for ever. */
export const HELLO_TIMEOUT_MS = 10_000;

/** After a failure or an interrupt the workers may still drain for this long, so that their last frames are kept. */
export const STOP_GRACE_MS = 2_000;

/** How long the end waits for workers to hang up by themselves, which shows that they have read why. */
export const END_GRACE_MS = 500;

/**
 * What a stage may take beyond its own length and drain: the way of the last messages, and the record's flush. A
 * worker that is cut at the very end has `lostAfterMs` on top, so that a cut is never called a missed deadline.
 */
export const CLOSE_SLACK_MS = 2_000;

/** Exchanges in a row when a clock is measured; of these the one with the smallest round trip counts. */
export const CLOCK_EXCHANGES = 8;

/** Between such bursts one exchange as often as this keeps the estimate young. */
export const CLOCK_REFRESH_MS = 2_000;

/** Refusals of strangers written as events; a stranger that knocks for ever must not fill the disk. */
export const REFUSALS_RECORDED = 10_000;
