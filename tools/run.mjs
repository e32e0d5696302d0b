/**
 * `node tools/run.mjs FOLDER/FILE [ARGUMENT ...]`: prepares the checkout, then runs the built file of test/ or bench/
 * in a process of its own.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepareOrExplain, ROOT } from './prepare.mjs';

const [path, ...argv] = process.argv.slice(2);
const failed = await prepareOrExplain({ project: '.' });
if (failed !== 0) process.exit(failed);
const child = spawn(process.execPath, [join(ROOT, 'build', `${path}.js`), ...argv], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('close', (code, signal) => {
  process.exitCode = signal === null ? code : 1;
});
