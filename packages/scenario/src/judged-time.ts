import { judgedIntervals, type Stage } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { writeDuration } from './quantity/duration.js';
import type { PlacedStage } from './stages.js';

/** So few operations are no ground for a judgement. */
const FEWEST_OPERATIONS = 10;

/** That stages which objectives decide are long enough to be judged: in whole intervals, with operations in them. */
export function checkJudgedTime(
  stages: readonly PlacedStage[],
  intervalMs: number,
  findings: Findings,
): void {
  for (const { stage, path } of stages) {
    checkProbe(stage, under(path, 'search'), intervalMs, findings);
    checkStop(stage, under(path, 'stopWhen'), intervalMs, findings);
  }
}

function checkProbe(stage: Stage, path: string, intervalMs: number, findings: Findings): void {
  const { search, end } = stage;
  if (search === null || end.kind !== 'duration') return;
  const [first, last] = judgedIntervals(stage, search.settleMs, intervalMs);
  const judged = last - first;
  const interval = writeDuration(intervalMs);
  if (judged < 1) {
    findings.of(
      under(path, 'probe'),
      `a probe of ${writeDuration(end.durationMs)}, settled after ${writeDuration(search.settleMs)}, leaves no whole interval of ` +
        `${interval} to judge; allowed: ${writeDuration((first + 1) * intervalMs)} at least, or a shorter \`interval\``,
    );
    return;
  }
  const operations = (search.minimumPerSec * judged * intervalMs) / 1e3;
  if (operations >= FEWEST_OPERATIONS) return;
  findings.of(
    under(path, 'rate'),
    `the lowest rate sends ${Math.floor(operations)} operations in the ${writeDuration(judged * intervalMs)} of a probe that are ` +
      `judged; allowed: ${FEWEST_OPERATIONS} at least, by a higher rate or a longer probe`,
  );
}

function checkStop({ stopWhen, end }: Stage, path: string, intervalMs: number, findings: Findings): void {
  if (stopWhen === null || end.kind !== 'duration') return;
  const first = Math.ceil(stopWhen.fromMs / intervalMs);
  const judgedMs = (Math.floor(end.durationMs / intervalMs) - first) * intervalMs;
  if (judgedMs >= Math.max(intervalMs, stopWhen.holdMs)) return;
  findings.of(
    path,
    `could never end the stage: of its ${writeDuration(end.durationMs)} there are ${writeDuration(Math.max(0, judgedMs))} in whole ` +
      `intervals of ${writeDuration(intervalMs)} to judge` +
      (stopWhen.holdMs > 0 ? `, and it has to be true for ${writeDuration(stopWhen.holdMs)}` : ''),
  );
}
