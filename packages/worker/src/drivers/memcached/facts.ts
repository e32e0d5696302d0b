import type { TargetFacts } from '@pacecar/protocol';

/** Lines of `stats settings` that decide what a benchmark measures: memory, eviction, threads, limits. */
const SETTINGS = [
  ...['maxbytes', 'evictions', 'item_size_max', 'num_threads', 'maxconns', 'cas_enabled', 'tcp_backlog'],
  ...['growth_factor', 'chunk_size', 'slab_chunk_max', 'slab_automove', 'reqs_per_event', 'idle_timeout'],
  ...['lru_maintainer_thread', 'lru_segmented', 'temp_lru', 'hash_algorithm', 'detail_enabled'],
  ...['binding_protocol', 'auth_enabled_sasl', 'auth_enabled_ascii', 'ssl_enabled', 'domain_socket'],
  ...['inline_ascii_response', 'ext_item_size', 'memory_file'],
] as const;
/** Lines of `stats` that do not change while the server runs. */
const STATS = ['pid', 'pointer_size', 'libevent', 'threads', 'limit_maxbytes'] as const;

/** What a memcached says of itself: its version line, and the lines of `stats` and `stats settings`. */
export function factsOf(
  address: string,
  version: string,
  stats: ReadonlyMap<string, string>,
  statsSettings: ReadonlyMap<string, string>,
): TargetFacts {
  const settings: Record<string, string> = {};
  for (const [names, lines] of [
    [STATS, stats],
    [SETTINGS, statsSettings],
  ] as const)
    for (const name of names) {
      const value = lines.get(name);
      if (value !== undefined) settings[name] = value.slice(0, 1_000);
    }
  const id = identityOf(stats);
  if (id !== null) settings['run_id'] = id;
  // Other products that speak the protocol say their name before their version.
  const [, name, number] = /^(?:([A-Za-z][\w-]*)[ /])?(.+)$/.exec(version) ?? [];
  return {
    address,
    product: (name ?? 'memcached').toLowerCase().slice(0, 100),
    version: (number ?? version).slice(0, 100),
    mode: 'standalone',
    settings,
  };
}

/**
 * One life of a server. A memcached has no name for it as a Redis has; its process and when it was started are as good.
 */
function identityOf(stats: ReadonlyMap<string, string>): string | null {
  const [pid, time, uptime] = ['pid', 'time', 'uptime'].map((name) => stats.get(name));
  if (pid === undefined || time === undefined || uptime === undefined) return null;
  return `${pid} since ${Number(time) - Number(uptime)}`;
}

/** `STAT name value` lines up to END; null while END is not there. */
export function statLines(text: string): Map<string, string> | null {
  if (!/(^|\r\n)(END|(CLIENT_|SERVER_)?ERROR[^\r]*)\r\n$/.test(text)) return null;
  return new Map(
    [...text.matchAll(/^STAT (\S+) (.*)\r$/gm)].map(([, name, value]) => [name as string, value as string]),
  );
}
