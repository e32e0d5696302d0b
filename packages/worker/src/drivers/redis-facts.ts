import type { TargetFacts } from '@pacecar/protocol';
import type { ReplyValue } from './resp/reply-value.js';

/** Settings that decide what a benchmark measures: persistence, memory, threads. */
const SETTINGS = [
  'maxmemory',
  'maxmemory-policy',
  'appendonly',
  'appendfsync',
  'save',
  'io-threads',
  'io-threads-do-reads',
  'maxclients',
  'tcp-backlog',
  'timeout',
  'databases',
  'cluster-enabled',
  'min-replicas-to-write',
  'lazyfree-lazy-user-del',
  'activedefrag',
  'hz',
] as const;

/** Lines of INFO that say the same where CONFIG is not allowed, and more. */
const INFO_LINES = [
  'redis_version',
  'redis_mode',
  'redis_git_sha1',
  'os',
  'arch_bits',
  'gcc_version',
  'multiplexing_api',
  'mem_allocator',
  'maxmemory',
  'maxmemory_policy',
  'aof_enabled',
  'role',
  'connected_slaves',
  'cluster_enabled',
  'io_threads_active',
  'run_id',
] as const;

/** Products that say so themselves; everything else that has a redis_version calls itself a Redis. */
const PRODUCTS = [
  { line: 'server_name', product: null },
  { line: 'dragonfly_version', product: 'dragonfly' },
  { line: 'garnet_version', product: 'garnet' },
  { line: 'valkey_version', product: 'valkey' },
] as const;

const VERSION_LINES = [
  'pacecar_version',
  'dragonfly_version',
  'garnet_version',
  'valkey_version',
  'redis_version',
] as const;

/**
 * What a server of the Redis family says of itself, asked by INFO and CONFIG GET. A command that is not allowed leaves
 * its part out.
 */
export async function factsOf(
  address: string,
  ask: (command: readonly string[]) => Promise<ReplyValue>,
): Promise<TargetFacts> {
  const info = await ask(['INFO']);
  const lines = info.kind === 'text' ? infoLines(info.text) : new Map<string, string>();
  const settings: Record<string, string> = {};
  for (const name of INFO_LINES) {
    const value = lines.get(name);
    if (value !== undefined) settings[name] = value.slice(0, 1_000);
  }
  for (const name of SETTINGS) {
    const reply = await ask(['CONFIG', 'GET', name]);
    // Not allowed for one is not allowed for all.
    if (reply.kind === 'error') break;
    const value = settingOf(reply, name);
    if (value !== null) settings[name] = value.slice(0, 1_000);
  }
  const named = PRODUCTS.find(({ line }) => lines.has(line));
  const product =
    named === undefined
      ? lines.has('redis_version')
        ? 'redis'
        : 'unknown'
      : (named.product ?? lines.get(named.line));
  const version = VERSION_LINES.map((line) => lines.get(line)).find((value) => value !== undefined);
  return {
    address,
    product: (product ?? 'unknown').slice(0, 100),
    version: (version ?? 'unknown').slice(0, 100),
    mode: (lines.get('redis_mode') ?? lines.get('server_mode') ?? 'standalone').slice(0, 100),
    settings,
  };
}

/** `name:value` lines; sections and comments begin with #. */
export function infoLines(text: string): Map<string, string> {
  const lines = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) lines.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return lines;
}

/** The value of one setting in a reply to CONFIG GET: name and value, or nothing. */
function settingOf(reply: ReplyValue, name: string): string | null {
  if (reply.kind !== 'array') return null;
  for (let index = 0; index + 1 < reply.items.length; index += 2) {
    const key = reply.items[index];
    const value = reply.items[index + 1];
    if (key?.kind === 'text' && key.text === name && value?.kind === 'text') return value.text;
  }
  return null;
}
