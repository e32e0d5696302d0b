import type { TargetFacts } from '@pacecar/protocol';
import { addressOf } from '../target-refusal.js';
import { clusterIdOf, versionsOf } from './library.js';
import { type ClientOptions, LibraryClient } from './library-client.js';

/** What members say of a map's copies, memory and near caches does not reach clients: it is absent here. */
export async function inspectCluster(options: ClientOptions): Promise<TargetFacts> {
  const library = new LibraryClient(options, () => undefined);
  const timer = setTimeout(() => library.close(), options.connectTimeoutMs);
  try {
    await library.open();
    return factsOf(options, library);
  } finally {
    clearTimeout(timer);
    library.close();
  }
}

function factsOf({ target, settings }: ClientOptions, { client }: LibraryClient): TargetFacts {
  const members = client.getCluster().getMembers();
  const versions = versionsOf(client);
  const id = clusterIdOf(client);
  const addresses = members.map(({ address }) => `${address.host}:${address.port}`).sort();
  return {
    address: addressOf(target),
    product: 'hazelcast',
    version: versions.join(', ').slice(0, 100),
    mode: members.length === 1 ? 'standalone' : 'cluster',
    settings: {
      cluster_name: settings.clusterName,
      cluster_size: String(members.length),
      lite_members: String(members.filter(({ liteMember }) => liteMember).length),
      members: addresses.join(', ').slice(0, 1_000),
      partitions: String(client.getPartitionService().getPartitionCount()),
      ...(id === null ? {} : { run_id: id }),
    },
  };
}
