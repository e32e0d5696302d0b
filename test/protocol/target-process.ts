/** The built-in target as a process: tells its parent the address, and its counters when asked. */
import { startTarget } from '@pacecar/worker';

const target = await startTarget({ host: '127.0.0.1', port: 0 });
process.on('message', () => process.send?.(target.counters()));
process.once('disconnect', () => void target.close());
process.send?.({ host: target.host, port: target.port });
