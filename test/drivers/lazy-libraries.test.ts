import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { DRIVERS } from '@pacecar/worker';

/** Client drivers whose library has the driver's name and is CommonJS, so that Node says whether it was loaded. */
const LIBRARIES = ['ioredis', 'memjs'] as const;

/** Which of the libraries a process has loaded after it has run this. */
async function loadedBy(statements: string): Promise<string[]> {
  const script = `${statements};
    const { createRequire } = await import('node:module');
    const paths = Object.keys(createRequire(import.meta.url).cache);
    const loaded = ${JSON.stringify(LIBRARIES)}.filter((name) =>
      paths.some((path) => path.includes('/node_modules/' + name + '/')));
    console.log(JSON.stringify(loaded));`;
  const folder = new URL('.', import.meta.url).pathname;
  const words = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  return JSON.parse(stdout) as string[];
}

test('a library is loaded by those who need it, and by nobody who only knows what drivers there are', async () => {
  for (const name of LIBRARIES) assert.ok(DRIVERS.some((driver) => driver.name === name));
  assert.deepEqual(await loadedBy(`await import('@pacecar/worker')`), []);
  for (const name of LIBRARIES) assert.deepEqual(await loadedBy(`await import('${name}')`), [name]);
});
