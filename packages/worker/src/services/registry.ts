import type { RecipeDescription } from '@pacecar/protocol';
import { HAZELCAST } from './hazelcast/member.js';
import { MEMCACHED } from './memcached/server.js';
import { FERRETDB, MONGOD } from './mongodb/server.js';
import type { Recipe } from './recipe.js';
import { REDIS_CLUSTER } from './redis/cluster.js';
import { REDIS_SENTINEL } from './redis/sentinel.js';
import { REDIS_SERVER, VALKEY_SERVER } from './redis/server.js';

/** Everything that a worker can run for a scenario. */
export const RECIPES: readonly Recipe[] = [
  REDIS_SERVER,
  REDIS_CLUSTER,
  REDIS_SENTINEL,
  VALKEY_SERVER,
  MEMCACHED,
  HAZELCAST,
  MONGOD,
  FERRETDB,
];

/** What they say of themselves. */
export const RECIPE_DESCRIPTIONS: readonly RecipeDescription[] = RECIPES.map(
  ({ description }) => description,
);
