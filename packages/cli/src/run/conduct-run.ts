import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Progress, type RunEnd, startCoordinator } from '@pacecar/coordinator';
import { asPacecarError, BUNDLE_FILES, FAILURE_CODES, type Plan } from '@pacecar/protocol';
import type { Logger } from 'pino';
import { makeBundleDirectory } from '../bundle/bundle-directory.js';
import { type Finished, finishBundle } from '../bundle/finishing.js';
import type { Address } from '../flag.js';
import { TargetChild } from '../local/target-child.js';
import { WorkerCrew } from '../local/worker-crew.js';
import { piece } from '../terminal/line.js';
import { mayColor, reportColumns, writeError, writeOut } from '../terminal/output.js';
import { ProgressDisplay } from '../terminal/progress-display.js';
import type { Screen } from '../terminal/screen.js';
import { shortPath } from '../terminal/short-path.js';
import { SignalWatch } from './signal-watch.js';

/** After an interrupt: a little more than the time for which the coordinator lets its workers drain. */
const HANGS_AFTER_MS = 2_600;

/** What a person wants to have of a run. */
export interface ReportWishes {
  /** Where the bundle goes; by default under results/. */
  readonly out?: string;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly perWorker?: boolean;
}

export interface RunRequest {
  readonly plan: Plan;
  /** The scenario without its secrets. */
  readonly scenarioText: string;
  /** As typed, without secrets. */
  readonly commandLine: readonly string[];
  readonly listen: Address;
  readonly token: string | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** `local`: this process starts the workers, and the built-in target if the plan wants it. */
  readonly workers: 'local' | 'remote';
  readonly workerLogLevel: string;
  readonly wishes: ReportWishes;
  readonly screen: Screen;
  readonly logger: Logger;
  /** Called once workers can join. */
  readonly onListening?: (url: string) => void;
}

/**
 * Conducts one run from its plan to its report: starts what is local, coordinates, makes the bundle, prints, and
 * resolves with the exit code when no process of the run is left.
 */
export async function conductRun(request: RunRequest): Promise<number> {
  const signals = new SignalWatch();
  const display = new ProgressDisplay(request.screen, request.plan);
  const crew: { target: TargetChild | null; workers: WorkerCrew | null } = { target: null, workers: null };
  try {
    const directory = makeBundleDirectory(request.wishes.out ?? null, request.plan.name, new Date());
    let end: RunEnd;
    try {
      end = await coordinate(request, directory, signals, display, crew);
    } catch (error) {
      removeIfEmpty(directory);
      throw error;
    }
    await Promise.all([crew.workers?.stop(end.outcome === 'complete'), crew.target?.stop()]);
    display.end();
    return await conclude(request, directory, end, crew.workers?.troubles() ?? []);
  } finally {
    display.end();
    await Promise.all([crew.workers?.stop(false), crew.target?.stop()]);
    signals.end();
  }
}

/** Runs the coordinator in this process until the run is over. */
async function coordinate(
  request: RunRequest,
  directory: string,
  signals: SignalWatch,
  display: ProgressDisplay,
  crew: { target: TargetChild | null; workers: WorkerCrew | null },
): Promise<RunEnd> {
  if (request.workers === 'local' && needsBuiltinTarget(request.plan))
    crew.target = await TargetChild.start();
  const plan = crew.target === null ? request.plan : withBuiltinTarget(request.plan, crew.target.address);
  const crewLoss: { failure: string | null } = { failure: null };
  const coordinator = await startCoordinator({
    plan,
    scenarioText: request.scenarioText,
    bundleDirectory: directory,
    commandLine: request.commandLine,
    listen: request.listen,
    token: request.token,
    tls: request.tls,
    logger: request.logger,
    onProgress: (progress: Progress) => {
      display.update(progress);
      // Nobody else joins a local run: without one of its workers it would only wait for its deadline.
      if (progress.state === 'joining' && crewLoss.failure !== null)
        coordinator.fail('WORKER_LOST', `${crewLoss.failure} before every worker had joined`);
    },
  });
  signals.onFirst((signal) => {
    request.screen.print(
      `pacecar: ${signal}: stopping the workers and writing the partial report (once more to quit at once)`,
    );
    coordinator.interrupt(signal);
    // What a worker has to say it has said by then; one that hangs must not keep the person waiting.
    setTimeout(() => crew.workers?.kill(), HANGS_AFTER_MS).unref();
  });
  if (request.workers === 'local' && signals.received === null) {
    crew.workers = new WorkerCrew({
      plan,
      join: coordinator.url,
      token: request.token ?? '',
      bundleDirectory: directory,
      logLevel: request.workerLogLevel,
    });
    crew.target?.logTo(join(directory, 'logs', 'target.log'));
    void crew.workers.firstFailure().then((failure) => (crewLoss.failure = failure));
  }
  request.onListening?.(coordinator.url);
  display.begin(plan);
  return coordinator.finished;
}

/** Makes the report of a run that is over, prints it and gives the exit code. */
async function conclude(
  request: RunRequest,
  directory: string,
  end: RunEnd,
  troubles: readonly string[],
): Promise<number> {
  if (end.outcome === 'failed') {
    for (const trouble of troubles) request.screen.print(trouble);
    writeError(`error: ${end.reason}\n`);
  }
  request.screen.show([[piece(request.plan.name, 'bold'), piece('  making the report')]]);
  let finished: Finished;
  try {
    finished = await finishBundle({
      directory,
      strict: request.wishes.strict === true,
      text: {
        columns: reportColumns(),
        color: mayColor(process.stdout),
        perWorker: request.wishes.perWorker === true,
      },
    });
  } catch (thrown) {
    const error = asPacecarError(thrown);
    const stack = error.code === 'INTERNAL' && error.cause instanceof Error ? `${error.cause.stack}\n` : '';
    writeError(`error: ${error.message}\n${stack}`);
    return end.code === null ? error.exitCode : FAILURE_CODES[end.code];
  } finally {
    request.screen.clear();
  }
  const report =
    finished.unwritten === null ? `Report: ${shortPath(join(directory, BUNDLE_FILES.report))}\n` : '';
  if (request.wishes.json === true) {
    await writeOut(finished.json);
    writeError(report);
  } else {
    await writeOut(`${finished.text}\n${report}`);
  }
  if (finished.unwritten !== null)
    writeError(
      `error: the results cannot be written to ${shortPath(directory)}: ${finished.unwritten}. ` +
        `The record of the run is kept there; make room, then: pacecar report ${shortPath(directory)}\n`,
    );
  // What ended the run early outranks what its figures say.
  if (end.code !== null) return FAILURE_CODES[end.code];
  return finished.unwritten === null ? finished.exitCode : FAILURE_CODES.STORAGE;
}

function needsBuiltinTarget(plan: Plan): boolean {
  return plan.configurations.some(({ target }) => target.kind === 'builtin');
}

/** The plan with the address at which its built-in target listens. */
function withBuiltinTarget(plan: Plan, { host, port }: Address): Plan {
  return {
    ...plan,
    configurations: plan.configurations.map((configuration) =>
      configuration.target.kind === 'builtin'
        ? { ...configuration, target: { ...configuration.target, host, port } }
        : configuration,
    ),
  };
}

/** A run that could not begin leaves no empty directory behind. */
function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It holds something, which is then worth keeping.
  }
}
