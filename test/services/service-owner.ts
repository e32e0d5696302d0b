/** A process that keeps a Redis server in the directory of its argument, and says the server's pid. */
import { startService } from './start-service.js';

const redis = await startService('redis-server', {}, { workDirectory: process.argv[2] as string });
process.stdout.write(String(redis.service.processes[0]?.pid));
setInterval(() => undefined, 60_000);
