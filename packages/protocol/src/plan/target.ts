import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ServiceNodeSchema } from '../service.js';
import { NameSchema } from './name.js';

const pem = z.string().min(1).max(100_000);

/** How the connections of a target are encrypted. */
export const TlsSchema = z
  .object({
    ca: pem
      .nullable()
      .describe('PEM of the authorities that are trusted, or its file on the worker; null: the usual ones.'),
    cert: pem.nullable().describe('PEM of a certificate of our own, or its file on the worker.'),
    key: pem.nullable().describe('PEM of the key to it, or its file on the worker.'),
    serverName: z
      .string()
      .min(1)
      .max(253)
      .nullable()
      .describe('The name that the certificate is to be for; null: the host.'),
    verify: z.boolean().describe('Whether the certificate is checked.'),
  })
  .readonly();
export type Tls = z.infer<typeof TlsSchema>;

export const AddressSchema = z
  .object({ host: z.string().min(1).max(253), port: z.int().min(1).max(65_535) })
  .readonly();
export type Address = z.infer<typeof AddressSchema>;

/** As a MongoDB allows it on every system. */
export const DATABASE_NAME = /^[^/\\. "$*<>:|?\p{Cc}]{1,63}$/u;

export const TargetSchema = z
  .object({
    kind: z
      .enum(['address', 'builtin', 'service'])
      .describe(
        "builtin: Pacecar's own target, started with the run. service: what the run itself has started.",
      ),
    host: z.string().min(1).max(253),
    port: z.int().min(0).max(65_535),
    username: z.string().max(1_000).nullable(),
    password: z.string().max(10_000).nullable(),
    database: z.int().min(0).max(1_000_000),
    databaseName: z
      .string()
      .regex(DATABASE_NAME)
      .optional()
      .describe('Where databases have names instead of numbers; absent: the one that the driver takes.'),
    addresses: z
      .array(AddressSchema)
      .min(2)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe('All that were written, if several; host and port are the first.'),
    socket: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Path of a unix socket on the worker, in the place of host and port.'),
    tls: TlsSchema.optional().describe('Left out: nothing is encrypted, unless a service says so.'),
    service: NameSchema.optional().describe('Whose address host and port are, once it has been started.'),
    nodes: z
      .array(ServiceNodeSchema)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe('All its processes, by index; host and port are those of the first.'),
  })
  .readonly();
export type Target = z.infer<typeof TargetSchema>;

/** Whether a text is PEM itself and no path of a file with it. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/** Everything secret of a target: its password, and a key that is written out. */
export function targetSecrets({ password, tls }: Pick<Target, 'password' | 'tls'>): string[] {
  const key = tls?.key ?? null;
  return [password, key !== null && isPem(key) ? key : null].filter((secret) => secret !== null);
}
