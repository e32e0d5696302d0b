import type { DriverDescription } from '@pacecar/protocol';
import { HAZELCAST_DESCRIPTION } from './hazelcast/description.js';
import { IOREDIS_DESCRIPTION } from './ioredis/description.js';
import { MEMCACHED_DESCRIPTION } from './memcached/description.js';
import { MEMJS_DESCRIPTION } from './memjs/description.js';
import { MONGODB_DESCRIPTION } from './mongodb/description.js';
import { RESP_DESCRIPTION } from './resp/description.js';

/** Every driver of this worker, by what it says of itself. */
export const DRIVERS: readonly DriverDescription[] = [
  RESP_DESCRIPTION,
  IOREDIS_DESCRIPTION,
  MEMCACHED_DESCRIPTION,
  MEMJS_DESCRIPTION,
  HAZELCAST_DESCRIPTION,
  MONGODB_DESCRIPTION,
];
