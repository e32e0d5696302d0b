import { EXIT } from '@pacecar/protocol';
import { Command } from 'commander';
import { wholeNumber } from '../flag.js';
import { piece } from '../terminal/line.js';
import { shortPath } from '../terminal/short-path.js';
import { writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';
import { surroundingsOf } from './surroundings.js';

/** Twenty seconds are promised; starting and ending the target takes the rest. */
const MOST_SECONDS = 18;

interface CalibrateFlags {
  readonly seconds: number;
  readonly out?: string;
  readonly json?: true;
}

export function calibrateCommand(): Command {
  return new Command('calibrate')
    .summary('measure what this machine can send at most')
    .description(
      'Measures what this machine can send at most, against the built-in target: by driver, operation, engine threads, ' +
        'pipeline depth and size of the value. Takes less than 20 s.',
    )
    .helpGroup(HELP_GROUPS.machines)
    .option(
      '--seconds <n>',
      'how long it may take; the shorter, the less exact',
      wholeNumber(4, MOST_SECONDS),
      MOST_SECONDS,
    )
    .option('--out <file>', 'where it is saved (default: where workers of this machine look for it)')
    .option('--json', 'print the calibration as JSON instead of a table')
    .addHelpText(
      'after',
      `
Workers of this machine look for it in PACECAR_CALIBRATION, else in pacecar/calibration.json below XDG_STATE_HOME, or
below ~/.local/state. They use it only on the machine, and with the versions of Pacecar and Node.js, that it was made
with. The verdict of a run calls a worker that came within 10 % of its ceiling DEGRADED: its figures are then those of
the generator. Do it while nothing else runs.

Example:
  pacecar calibrate`,
    )
    .action(async (options: CalibrateFlags, command: Command) => {
      process.exitCode = await run(options, command);
    });
}

async function run(options: CalibrateFlags, command: Command): Promise<number> {
  const { screen, logger } = surroundingsOf(command, 'calibrate', 'error');
  const [{ calibrate, calibrationPath, writeCalibration }, { TargetChild }, { calibrationTable }] =
    await Promise.all([
      import('@pacecar/worker'),
      import('../local/target-child.js'),
      import('../terminal/calibration-table.js'),
    ]);
  const path = options.out ?? calibrationPath(process.env);
  const target = await TargetChild.start();
  let planned = 0;
  try {
    screen.print(`measuring against the built-in target for up to ${options.seconds} s`);
    const calibration = await calibrate({
      target: target.address,
      logger,
      budgetMs: options.seconds * 1_000,
      progress: (_cell, done, of) => {
        planned = of;
        screen.show([[piece(`${done} of ${of} cells`)]]);
      },
    });
    screen.clear();
    writeCalibration(path, calibration);
    await writeOut(
      options.json === true ? `${JSON.stringify(calibration, null, 2)}\n` : calibrationTable(calibration),
    );
    const disturbed = calibration.cells.filter(({ limitedBy }) => limitedBy === 'other').length;
    if (disturbed * 2 > calibration.cells.length)
      screen.print(
        `warning: in ${disturbed} of ${calibration.cells.length} cells other programs had the cores, so that ceilings may be ` +
          'too low; calibrate again while nothing else runs',
      );
    const left = planned - calibration.cells.length;
    if (left > 0) screen.print(`${left} cells did not fit into the time and are left out`);
    screen.print(`saved in ${shortPath(path)}`);
  } finally {
    screen.clear();
    await target.stop();
  }
  return EXIT.ok;
}
