import type { ServiceNode } from '@pacecar/protocol';
import type { MemberParameters } from './parameters.js';

/** The configuration of a member; JSON is YAML too, and nothing in it can be read as anything but data. */
export function memberConfiguration(
  parameters: MemberParameters,
  clusterName: string,
  node: ServiceNode,
  peers: readonly ServiceNode[],
): string {
  const { backupCount, asyncBackupCount, inMemoryFormat, evictionPolicy, maxSizePerNode } = parameters;
  const { timeToLiveSeconds, readBackupData, statistics } = parameters;
  const configuration = {
    hazelcast: {
      'cluster-name': clusterName,
      network: {
        port: { port: node.port, 'auto-increment': false },
        'public-address': `${node.host}:${node.port}`,
        interfaces: { enabled: true, interfaces: [node.host] },
        join: {
          'auto-detection': { enabled: false },
          multicast: { enabled: false },
          'tcp-ip': { enabled: true, 'member-list': peers.map(({ host, port }) => `${host}:${port}`) },
        },
        'rest-api': { enabled: true, 'endpoint-groups': { HEALTH_CHECK: { enabled: true } } },
      },
      map: {
        default: {
          'backup-count': backupCount,
          'async-backup-count': asyncBackupCount,
          'in-memory-format': inMemoryFormat,
          'read-backup-data': readBackupData,
          'statistics-enabled': statistics,
          'time-to-live-seconds': timeToLiveSeconds,
          eviction: {
            'eviction-policy': evictionPolicy,
            'max-size-policy': 'PER_NODE',
            size: maxSizePerNode,
          },
        },
      },
      properties: {
        'hazelcast.phone.home.enabled': 'false',
        'hazelcast.logging.type': 'jdk',
        'hazelcast.socket.bind.any': 'false',
        'hazelcast.shutdownhook.policy': 'GRACEFUL',
        'hazelcast.graceful.shutdown.max.wait': '20',
        // Members that start together wait for each other this long before they take up partitions.
        'hazelcast.wait.seconds.before.join': '1',
        'hazelcast.max.wait.seconds.before.join': '5',
      },
    },
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}
