import { PacecarError } from '@pacecar/protocol';
import type { z } from 'zod';

/** The settings of a configuration, with defaults. Throws PacecarError REQUEST_INVALID for wrong ones. */
export function settingsOf<Settings>(name: string, schema: z.ZodType<Settings>, written: unknown): Settings {
  const parsed = schema.safeParse(written);
  if (parsed.success) return parsed.data;
  throw new PacecarError(
    'REQUEST_INVALID',
    `settings of the driver ${name}: ${parsed.error.issues[0]?.message}`,
  );
}
