import type { TargetFacts } from '@pacecar/protocol';
import { addressOf } from '../../target-refusal.js';
import { inspectTarget } from '../inspect.js';
import type { RespAccess } from '../login.js';
import type { ClusterMap } from './cluster-map.js';

/** What one master says of itself, and how many nodes serve beside it. Throws as `inspectTarget`. */
export async function inspectCluster(
  access: RespAccess,
  map: ClusterMap,
  timeoutMs: number,
): Promise<TargetFacts> {
  await map.ready();
  const [first] = map.masters;
  const target = (first === undefined ? undefined : map.nodes[first]) ?? access.target;
  const facts = await inspectTarget({ ...access, target }, timeoutMs);
  const { masters } = map;
  const addresses = masters.flatMap((number) => {
    const node = map.nodes[number];
    return node === undefined ? [] : [addressOf(node)];
  });
  return {
    ...facts,
    settings: {
      ...facts.settings,
      cluster_masters: String(masters.length),
      cluster_replicas: String(map.servers(true).length - masters.length),
      cluster_addresses: addresses.join(' ').slice(0, 1_000),
    },
  };
}
