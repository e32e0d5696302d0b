import { isIP } from 'node:net';
import type { ServiceNode } from '@pacecar/protocol';
import { z } from 'zod';
import { infoLines } from '../../drivers/redis-facts.js';
import { milliseconds, parametersOf, port } from '../parameters.js';
import type { NodeDraft, Recipe, ServiceOrder } from '../recipe.js';
import { askOne, askRedis, textOf } from './ask.js';
import { REDIS, RedisBlueprint } from './blueprint.js';
import { type ConfigurationLine, loginLines, ServerShape, serverLines } from './settings.js';

const SLOTS = 16_384;
/** Nodes of a cluster talk to each other on a second port at this distance. */
const BUS_DISTANCE = 10_000;

const ParametersSchema = z.strictObject({
  masters: z.int().min(1).max(500).default(3).describe('Masters, over all workers of the group.'),
  replicas: z.int().min(0).max(5).default(0).describe('Replicas of each master.'),
  port: port(),
  ...ServerShape,
  nodeTimeout: milliseconds(100, 600_000)
    .default(5_000)
    .describe('A node that is silent for so long is taken for dead.'),
  fullCoverage: z
    .boolean()
    .default(true)
    .describe('Whether the cluster answers nothing while some slots have no master.'),
});
type Parameters = z.infer<typeof ParametersSchema>;

/** Masters come first by index, then the replicas of the first, of the second ... */
class ClusterBlueprint extends RedisBlueprint {
  readonly nodes: readonly NodeDraft[];
  readonly #parameters: Parameters;
  /** Replicas that know their master. */
  readonly #attached = new Set<number>();
  #hasMet = false;

  constructor(order: ServiceOrder) {
    super(order, REDIS);
    this.#parameters = parametersOf(ParametersSchema, order);
    const { masters, replicas, port } = this.#parameters;
    const { index: worker, of } = order.share;
    const own = Array.from({ length: masters * (1 + replicas) }, (_, index) => index).filter(
      (index) => this.#workerOf(index, of) === worker,
    );
    this.nodes = own.map((index, place) => ({
      role: index < masters ? 'master' : 'replica',
      index,
      port: port === 0 ? 0 : port + place,
      besides: [BUS_DISTANCE],
    }));
  }

  protected lines(node: ServiceNode): ConfigurationLine[] {
    const { nodeTimeout, fullCoverage } = this.#parameters;
    const { username, password } = this.order;
    return [
      ...serverLines(this.#parameters),
      ...loginLines(username, password),
      ['cluster-enabled', 'yes'],
      ['cluster-config-file', 'nodes.conf'],
      ['cluster-node-timeout', nodeTimeout],
      ['cluster-require-full-coverage', fullCoverage ? 'yes' : 'no'],
      ...(isIP(node.host) === 0 ? [] : [['cluster-announce-ip', node.host] satisfies ConfigurationLine]),
    ];
  }

  /** Slots, then acquaintance, then replication; each call goes as far as the nodes are. */
  override async form(peers: readonly ServiceNode[]): Promise<string | null> {
    const first = peers[0];
    if (first === undefined) return 'it has no nodes';
    const silent = await this.#firstMissing(peers, async (node) => this.answers(node));
    if (silent !== null) return silent;
    if (!this.#hasMet) {
      const state = await this.#state(first);
      // Started again with what they wrote down the last time.
      if (Number(state.get('cluster_known_nodes')) === peers.length && state.get('cluster_state') === 'ok')
        return null;
      await this.#giveSlots(peers);
      await askRedis(
        first,
        this.order,
        peers.slice(1).map(({ host, port }) => ['CLUSTER', 'MEET', host, String(port)]),
      );
      this.#hasMet = true;
    }
    const stranger = await this.#firstMissing(peers, async (node) => this.#knows(node, peers.length));
    return stranger ?? this.#attachReplicas(peers);
  }

  override async formed(node: ServiceNode, peers: readonly ServiceNode[]): Promise<string | null> {
    try {
      const state = await this.#state(node);
      const known = Number(state.get('cluster_known_nodes'));
      if (known !== peers.length) return `it knows ${known} of ${peers.length} nodes`;
      if (state.get('cluster_state') !== 'ok')
        return `cluster_state is ${state.get('cluster_state')}, ${state.get('cluster_slots_ok')} of ${SLOTS} slots are served`;
      const replication = infoLines(textOf(await askOne(node, this.order, ['INFO', 'replication'])));
      if (replication.get('role') === 'slave' && replication.get('master_link_status') !== 'up')
        return 'it has no connection to its master yet';
      if (node.role === 'replica' && !this.#hasFollowed(replication)) return 'it is no replica yet';
      return null;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  override async clear(node: ServiceNode): Promise<void> {
    const [reply] = await askRedis(node, this.order, [['FLUSHALL']]);
    // A replica is cleared by its master.
    if (reply?.kind === 'error' && !reply.text.startsWith('READONLY')) await super.clear(node);
  }

  /** A master that has followed another one was promoted. */
  #hasFollowed(replication: ReadonlyMap<string, string>): boolean {
    return replication.get('role') === 'slave' || Number(replication.get('second_repl_offset')) >= 0;
  }

  #masterOf(index: number): number {
    const { masters, replicas } = this.#parameters;
    return Math.floor((index - masters) / replicas);
  }

  /** Masters go round; replicas stand on other workers than their masters, where there are others. */
  #workerOf(index: number, workers: number): number {
    const { masters, replicas } = this.#parameters;
    if (index < masters) return index % workers;
    return (this.#masterOf(index) + 1 + ((index - masters) % replicas)) % workers;
  }

  /** Every node begins with an epoch of its own, so that no two have to fight for one. */
  async #giveSlots(peers: readonly ServiceNode[]): Promise<void> {
    const { masters } = this.#parameters;
    await Promise.all(
      peers.map(async (node) => {
        const commands = [['CLUSTER', 'SET-CONFIG-EPOCH', String(node.index + 1)]];
        if (node.index < masters) {
          const first = Math.floor((node.index * SLOTS) / masters);
          const last = Math.floor(((node.index + 1) * SLOTS) / masters) - 1;
          commands.push(['CLUSTER', 'ADDSLOTSRANGE', String(first), String(last)]);
        }
        await askRedis(node, this.order, commands);
      }),
    );
  }

  async #attachReplicas(peers: readonly ServiceNode[]): Promise<string | null> {
    const replicas = peers.filter(({ index, role }) => role === 'replica' && !this.#attached.has(index));
    return this.#firstMissing(replicas, async (node) => {
      const master = peers[this.#masterOf(node.index)];
      if (master === undefined) return 'its master is missing';
      const id = textOf(await askOne(master, this.order, ['CLUSTER', 'MYID']));
      const [reply] = await askRedis(node, this.order, [['CLUSTER', 'REPLICATE', id]]);
      if (reply?.kind === 'error') return reply.text;
      this.#attached.add(node.index);
      return null;
    });
  }

  async #knows(node: ServiceNode, all: number): Promise<string | null> {
    const known = Number((await this.#state(node)).get('cluster_known_nodes'));
    return known === all ? null : `it knows ${known} of ${all} nodes`;
  }

  async #state(node: ServiceNode): Promise<ReadonlyMap<string, string>> {
    return infoLines(textOf(await askOne(node, this.order, ['CLUSTER', 'INFO'])));
  }

  /** The first of them that lacks something, with its place. */
  async #firstMissing(
    nodes: readonly ServiceNode[],
    missing: (node: ServiceNode) => Promise<string | null>,
  ): Promise<string | null> {
    const answers = await Promise.all(
      nodes.map(async (node) => missing(node).catch((thrown: unknown) => (thrown as Error).message)),
    );
    const lacking = answers.filter((answer) => answer !== null).length;
    const first = answers.findIndex((answer) => answer !== null);
    const node = nodes[first];
    if (node === undefined) return null;
    const others = lacking === 1 ? '' : `, and ${lacking - 1} more`;
    return `${node.role} ${node.index} at ${node.host}:${node.port}${others}: ${answers[first]}`;
  }
}

export const REDIS_CLUSTER: Recipe = {
  description: {
    name: 'redis-cluster',
    summary: 'A Redis Cluster of masters and replicas, spread over the workers of the group.',
    roles: ['master', 'replica'],
    speaks: 'redis',
    login: true,
    parameters: ParametersSchema,
  },
  open: (order) => new ClusterBlueprint(order),
};
