import { isIP } from 'node:net';
import type { ServiceNode } from '@pacecar/protocol';
import { z } from 'zod';
import { infoLines } from '../../drivers/redis-facts.js';
import { milliseconds, parametersOf, port } from '../parameters.js';
import type { Launch, NodeDraft, Recipe, ServiceOrder } from '../recipe.js';
import { askOne, type Login, textOf } from './ask.js';
import { REDIS, RedisBlueprint } from './blueprint.js';
import { type ConfigurationLine, loginLines, ServerShape, serverLines } from './settings.js';

const ParametersSchema = z.strictObject({
  replicas: z.int().min(1).max(100).default(2).describe('Replicas of the primary.'),
  sentinels: z.int().min(1).max(100).default(3).describe('Processes that watch it.'),
  quorum: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe('How many sentinels must find the primary dead; 0: more than half.'),
  masterName: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'letters, digits, dots, dashes and underscores are allowed')
    .default('pacecar')
    .describe('The name by which clients ask sentinels for the primary.'),
  downAfter: milliseconds(100, 600_000)
    .default(1_000)
    .describe('A primary that is silent for so long is taken for dead.'),
  failoverTimeout: milliseconds(1_000, 3_600_000)
    .default(10_000)
    .describe('How long a failover may take before another is tried.'),
  port: port(),
  ...ServerShape,
});
type Parameters = z.infer<typeof ParametersSchema>;

/** Index 0 is the primary; then come the replicas, then the sentinels. */
class SentinelBlueprint extends RedisBlueprint {
  readonly nodes: readonly NodeDraft[];
  readonly #parameters: Parameters;

  constructor(order: ServiceOrder) {
    super(order, REDIS);
    this.#parameters = parametersOf(ParametersSchema, order);
    const { replicas, sentinels, port } = this.#parameters;
    const { index: worker, of } = order.share;
    const all = [
      { role: 'primary', worker: 0 },
      ...Array.from({ length: replicas }, (_, at) => ({ role: 'replica', worker: (at + 1) % of })),
      ...Array.from({ length: sentinels }, (_, at) => ({ role: 'sentinel', worker: at % of })),
    ];
    this.nodes = all
      .map(({ role, worker }, index) => ({ role, worker, index }))
      .filter((node) => node.worker === worker)
      .map(({ role, index }, place) => ({ role, index, port: port === 0 ? 0 : port + place, besides: [] }));
  }

  override launch(node: ServiceNode, peers: readonly ServiceNode[], directory: string): Launch {
    const launch = super.launch(node, peers, directory);
    return node.role === 'sentinel' ? { ...launch, arguments: [...launch.arguments, '--sentinel'] } : launch;
  }

  /** A sentinel that starts before the replicas are there looks for them again only after 10 s. */
  async due(node: ServiceNode, peers: readonly ServiceNode[]): Promise<string | null> {
    const [primary] = peers;
    if (node.role !== 'sentinel' || primary === undefined) return null;
    return this.#replicates(primary, peers).catch((thrown: unknown) => (thrown as Error).message);
  }

  override async formed(node: ServiceNode, peers: readonly ServiceNode[]): Promise<string | null> {
    try {
      return node.role === 'sentinel' ? await this.#sees(node) : await this.#replicates(node, peers);
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  override async clear(node: ServiceNode): Promise<void> {
    if (node.role === 'sentinel') return;
    const replication = await this.#replication(node);
    if (replication.get('role') === 'master') await super.clear(node);
  }

  /** Sentinels hold no data, and ask for no password. */
  protected override login(node: ServiceNode): Login {
    return node.role === 'sentinel' ? { username: null, password: null } : this.order;
  }

  protected lines(node: ServiceNode, peers: readonly ServiceNode[]): ConfigurationLine[] {
    const [primary] = peers;
    if (primary === undefined) throw new Error('a sentinel service without a primary');
    const { username, password } = this.order;
    const { masterName, downAfter, failoverTimeout, sentinels } = this.#parameters;
    if (node.role === 'sentinel') {
      const quorum = this.#parameters.quorum || Math.floor(sentinels / 2) + 1;
      return [
        ['protected-mode', 'no'],
        ...(isIP(primary.host) === 0
          ? [['sentinel', 'resolve-hostnames', 'yes'] satisfies ConfigurationLine]
          : []),
        ['sentinel', 'monitor', masterName, primary.host, primary.port, quorum],
        ['sentinel', 'down-after-milliseconds', masterName, downAfter],
        ['sentinel', 'failover-timeout', masterName, failoverTimeout],
        ...(password === null
          ? []
          : [['sentinel', 'auth-pass', masterName, password] satisfies ConfigurationLine]),
        ...(username === null
          ? []
          : [['sentinel', 'auth-user', masterName, username] satisfies ConfigurationLine]),
      ];
    }
    return [
      ...serverLines(this.#parameters),
      ...loginLines(username, password),
      ...(node.role === 'replica'
        ? [['replicaof', primary.host, primary.port] satisfies ConfigurationLine]
        : []),
    ];
  }

  async #replicates(node: ServiceNode, peers: readonly ServiceNode[]): Promise<string | null> {
    const replication = await this.#replication(node);
    if (replication.get('role') === 'slave')
      return replication.get('master_link_status') === 'up'
        ? null
        : 'it has no connection to its primary yet';
    const wanted = peers.filter(({ role }) => role === 'replica').length;
    const has = Number(replication.get('connected_slaves'));
    // After a failover the dead primary is not there as a replica.
    return node.role === 'replica' || has >= wanted ? null : `it has ${has} of ${wanted} replicas`;
  }

  async #sees(node: ServiceNode): Promise<string | null> {
    const { masterName, replicas, sentinels } = this.#parameters;
    const reply = await askOne(node, this.login(node), ['SENTINEL', 'MASTER', masterName]);
    const facts = new Map<string, string>();
    const items = reply.kind === 'array' ? reply.items.map(textOf) : [];
    for (let at = 0; at + 1 < items.length; at += 2) facts.set(items[at] as string, items[at + 1] as string);
    const flags = facts.get('flags');
    if (flags !== 'master') return `it sees the primary as ${flags}`;
    const others = Number(facts.get('num-other-sentinels')) + 1;
    if (others !== sentinels) return `it knows ${others} of ${sentinels} sentinels`;
    const seen = Number(facts.get('num-slaves'));
    return seen >= replicas ? null : `it knows ${seen} of ${replicas} replicas`;
  }

  async #replication(node: ServiceNode): Promise<ReadonlyMap<string, string>> {
    return infoLines(textOf(await askOne(node, this.login(node), ['INFO', 'replication'])));
  }
}

export const REDIS_SENTINEL: Recipe = {
  description: {
    name: 'redis-sentinel',
    summary: 'A Redis primary with replicas, watched by sentinels that promote one of them.',
    roles: ['primary', 'replica', 'sentinel'],
    speaks: 'redis',
    login: true,
    parameters: ParametersSchema,
  },
  open: (order) => new SentinelBlueprint(order),
};
