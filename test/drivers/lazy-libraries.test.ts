import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { DRIVERS } from '@pacecar/worker';

/** Libraries of the client drivers; they are CommonJS, so that Node says whether they were loaded. */
const LIBRARIES = ['ioredis', 'memjs', 'hazelcast-client', 'mongodb'] as const;

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
  const clients = DRIVERS.filter((driver) => driver.class === 'client');
  assert.deepEqual(clients.map(({ name, library }) => library ?? name).sort(), [...LIBRARIES].sort());
  assert.deepEqual(await loadedBy(`await import('@pacecar/worker')`), []);
  for (const name of LIBRARIES) assert.deepEqual(await loadedBy(`await import('${name}')`), [name]);
});
