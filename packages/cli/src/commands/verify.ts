import { EXIT } from '@pacecar/protocol';
import { Command } from 'commander';
import { formatCount } from '../terminal/figures.js';
import { writeOut } from '../terminal/output.js';
import { HELP_GROUPS } from './help-group.js';

export function verifyCommand(): Command {
  return new Command('verify')
    .summary('check a bundle against its checksums and frames')
    .description('Checks that a bundle is what its run wrote, and that its summary follows from its frames.')
    .helpGroup(HELP_GROUPS.results)
    .argument('<bundle>', 'the directory that the run wrote')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Exits with 0 if every file has the checksum of the manifest, every frame is whole, and the summary and the timeline
computed again are the same to the last digit; with 1 otherwise, naming what differs.

Example:
  pacecar verify results/20260131T120000Z-demo`,
    )
    .action(async (directory: string, options: { readonly json?: true }) => {
      process.exitCode = await verify(directory, options.json === true);
    });
}

async function verify(directory: string, json: boolean): Promise<number> {
  const { verifyBundle } = await import('../bundle/verification.js');
  const { problems, files, frames } = await verifyBundle(directory);
  const verified = problems.length === 0;
  if (json) {
    await writeOut(`${JSON.stringify({ verified, files, frames, problems }, null, 2)}\n`);
  } else if (verified) {
    await writeOut(
      `verified: ${formatCount(files)} files unchanged, the summary follows from ${formatCount(frames)} frames\n`,
    );
  } else {
    await writeOut(`not verified:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }
  return verified ? EXIT.ok : EXIT.failed;
}
