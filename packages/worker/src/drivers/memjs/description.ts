import type { DriverDescription } from '@pacecar/protocol';
import { z } from 'zod';
import { operationsOf } from '../client-action.js';
import { objectionTo } from '../memcached/limits.js';
import { MEMJS_ACTIONS } from './actions.js';

export const MemjsSettingsSchema = z.strictObject({}).readonly();

export const MEMJS_DESCRIPTION: DriverDescription = {
  name: 'memjs',
  class: 'client',
  scheme: 'memcached',
  summary:
    'The memjs library, as applications use it, in the binary protocol; depth is the number of promises outstanding on ' +
    'one client.',
  operations: operationsOf(MEMJS_ACTIONS),
  settings: MemjsSettingsSchema,
  objection: objectionTo,
};
