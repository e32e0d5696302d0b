import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Workshop } from '../recipe.js';

/** Where whoever runs a worker says which Hazelcast it has; a scenario never can, since it would be any program. */
const CLASSPATH_VARIABLE = 'PACECAR_HAZELCAST_CLASSPATH';

/** What Maven is told: one library, into one folder. */
const pom = (version: string): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>pacecar</groupId>
  <artifactId>hazelcast-member</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>com.hazelcast</groupId>
      <artifactId>hazelcast</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * The class path of Hazelcast: that of the worker's environment, or the library of this version from the cache, which
 * Maven fills once. Throws SERVICE_FAILED.
 */
export async function hazelcastClasspath(version: string, workshop: Workshop): Promise<string> {
  const given = process.env[CLASSPATH_VARIABLE];
  if (given !== undefined && given !== '') return given;
  const folder = join(cacheDirectory(), 'hazelcast', version);
  if (!existsSync(folder)) await fetchLibrary(version, folder, workshop);
  return join(folder, '*');
}

async function fetchLibrary(version: string, folder: string, workshop: Workshop): Promise<void> {
  const maven = workshop.program(
    ['mvn'],
    `apt-get install maven (macOS: brew install maven), or set ${CLASSPATH_VARIABLE} for the worker to the jar of Hazelcast`,
  );
  await mkdir(dirname(folder), { recursive: true });
  // Beside its place, so that what is half there is never taken for the library.
  const part = await mkdtemp(`${folder}.part-`);
  try {
    const project = join(workshop.directory, 'pom.xml');
    await writeFile(project, pom(version));
    await workshop.run(
      maven,
      [
        ...['--batch-mode', '--quiet', '--file', project],
        ...['dependency:copy-dependencies', `-DoutputDirectory=${part}`, '-DincludeScope=runtime'],
      ],
      `fetching Hazelcast ${version} by Maven`,
    );
    await rename(part, folder);
  } catch (thrown) {
    // Another worker of this machine may have been faster.
    if (existsSync(folder) && (await readdir(folder)).length > 0) return;
    throw thrown;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

function cacheDirectory(): string {
  const given = process.env['XDG_CACHE_HOME'];
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.cache');
  return join(base, 'pacecar');
}
