import { z } from 'zod';
import { bytes } from '../parameters.js';

/** What every server of the Redis family can be told. */
export const ServerShape = {
  persistence: z
    .enum(['none', 'snapshot', 'append-only'])
    .default('none')
    .describe('none: memory only. snapshot: dump.rdb by the rules. append-only: every write is logged.'),
  snapshotRules: z
    .string()
    .regex(/^\d{1,9} \d{1,9}( \d{1,9} \d{1,9})*$/, 'pairs of seconds and changes are wanted, such as 60 1000')
    .default('3600 1 300 100 60 10000')
    .describe('When a snapshot is made: pairs of seconds and changes, as in the setting `save`.'),
  appendFsync: z
    .enum(['always', 'everysec', 'no'])
    .default('everysec')
    .describe('When the append-only file is forced to the disk.'),
  maxMemory: bytes(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('Most memory for data; 0: as much as there is.'),
  maxMemoryPolicy: z
    .enum([
      'noeviction',
      'allkeys-lru',
      'allkeys-lfu',
      'allkeys-random',
      'volatile-lru',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
    ])
    .default('noeviction')
    .describe('What happens when that is full.'),
  ioThreads: z.int().min(1).max(128).default(1).describe('Threads that read and write sockets.'),
  maxClients: z.int().min(1).max(1_000_000).default(10_000).describe('Most connections at a time.'),
};

const ServerSchema = z.object(ServerShape);
export type ServerSettings = z.infer<typeof ServerSchema>;

/** Lines of a configuration file, from name to value. */
export type ConfigurationLine = readonly [name: string, ...values: (string | number)[]];

export function serverLines(settings: ServerSettings): ConfigurationLine[] {
  const { persistence, snapshotRules, appendFsync, maxMemory, maxMemoryPolicy, ioThreads, maxClients } =
    settings;
  return [
    ...(persistence === 'snapshot'
      ? pairs(snapshotRules).map(([after, changes]): ConfigurationLine => ['save', after, changes])
      : [['save', ''] satisfies ConfigurationLine]),
    ['appendonly', persistence === 'append-only' ? 'yes' : 'no'],
    ['appendfsync', appendFsync],
    ['maxmemory', maxMemory],
    ['maxmemory-policy', maxMemoryPolicy],
    ['maxclients', maxClients],
    ...(ioThreads > 1 ? [['io-threads', ioThreads] satisfies ConfigurationLine] : []),
  ];
}

/** The user that clients log in as, and replicas at their primary. */
export function loginLines(username: string | null, password: string | null): ConfigurationLine[] {
  if (password === null) return [['protected-mode', 'no']];
  if (username === null)
    return [
      ['requirepass', password],
      ['masterauth', password],
    ];
  return [
    ['user', 'default', 'off'],
    ['user', username, 'on', `>${password}`, '~*', '&*', '+@all'],
    ['masteruser', username],
    ['masterauth', password],
  ];
}

/** The text of a configuration file; every value is quoted, so that none can end its line and begin another. */
export function configurationText(lines: readonly ConfigurationLine[]): string {
  return `${lines.map(([name, ...values]) => [name, ...values.map(quoted)].join(' ')).join('\n')}\n`;
}

function quoted(value: string | number): string {
  const bytes = Buffer.from(String(value));
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += /[\w.:/@~*+>&% -]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `"${text}"`;
}

function pairs(text: string): [string, string][] {
  const words = text.split(' ');
  return Array.from({ length: words.length / 2 }, (_, index) => [
    words[2 * index] as string,
    words[2 * index + 1] as string,
  ]);
}
