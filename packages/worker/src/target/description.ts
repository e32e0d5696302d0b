import { PACECAR_VERSION } from '@pacecar/protocol';
import type { CommandStatistics } from './command-statistics.js';
import type { Database } from './database.js';

interface State {
  readonly port: number;
  readonly connections: number;
  readonly statistics: CommandStatistics;
  readonly databases: readonly Database[];
}

/** What a plain INFO shows, in this order; the others are shown when they are named. */
const SHOWN = ['server', 'clients', 'stats', 'keyspace'];

const SECTIONS: Readonly<Record<string, (state: State) => string[]>> = {
  server: (state) => [
    '# Server',
    'server_name:pacecar-target',
    `pacecar_version:${PACECAR_VERSION}`,
    `process_id:${process.pid}`,
    `tcp_port:${state.port}`,
    `uptime_in_seconds:${Math.floor(process.uptime())}`,
  ],
  clients: (state) => ['# Clients', `connected_clients:${state.connections}`],
  stats: (state) => [
    '# Stats',
    `total_commands_processed:${state.statistics.total}`,
    `keyspace_hits:${state.statistics.hits}`,
    `keyspace_misses:${state.statistics.misses}`,
  ],
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return ['# CPU', `used_cpu_sys:${(system / 1e6).toFixed(6)}`, `used_cpu_user:${(user / 1e6).toFixed(6)}`];
  },
  // The same line as a Redis prints. This target does not time its commands: the times are 0.
  commandstats: (state) => [
    '# Commandstats',
    ...state.statistics
      .counts()
      .map(
        (count) =>
          `cmdstat_${count.name}:calls=${count.calls},usec=0,usec_per_call=0.00,rejected_calls=${count.rejected},failed_calls=${count.failed}`,
      ),
  ],
  keyspace: (state) => [
    '# Keyspace',
    ...state.databases.flatMap((database, index) =>
      database.size === 0 ? [] : [`db${index}:keys=${database.size},expires=${database.ending},avg_ttl=0`],
    ),
  ],
};

/** The text of INFO for the sections asked for (none: the usual ones). */
export function describe(asked: readonly string[], state: State): string {
  const everything = asked.includes('all') || asked.includes('everything');
  const usual = asked.length === 0 || asked.includes('default');
  const wanted = Object.keys(SECTIONS).filter(
    (name) => everything || asked.includes(name) || (usual && SHOWN.includes(name)),
  );
  return wanted.map((name) => `${(SECTIONS[name]?.(state) ?? []).join('\r\n')}\r\n`).join('\r\n');
}
