import { basename } from 'node:path';
import type { ServiceNode, TargetFacts } from '@pacecar/protocol';
import { PacecarError } from '@pacecar/protocol';
import { parametersOf } from '../parameters.js';
import type { Blueprint, Launch, NodeDraft, Recipe, ServiceOrder, Workshop } from '../recipe.js';
import { memberConfiguration } from './configuration.js';
import { memberHealth } from './health.js';
import { hazelcastClasspath } from './library.js';
import { type MemberParameters, MEBIBYTE, MemberParametersSchema } from './parameters.js';

/** The member's own class; what it is told stands in a file. */
const MAIN = 'com.hazelcast.core.server.HazelcastMemberStarter';
/** Longer than a member may take to hand over its partitions. */
const LEAVE_MS = 25_000;

class MemberBlueprint implements Blueprint {
  readonly nodes: readonly NodeDraft[];
  readonly leaveMs = LEAVE_MS;
  readonly certificateAuthority = null;
  readonly #order: ServiceOrder;
  readonly #parameters: MemberParameters;
  #java = '';
  #classpath = '';

  constructor(order: ServiceOrder) {
    this.#order = order;
    this.#parameters = parametersOf(MemberParametersSchema, order);
    const { members, port, backupCount, asyncBackupCount } = this.#parameters;
    if (backupCount + asyncBackupCount > 6)
      throw new PacecarError(
        'REQUEST_INVALID',
        `the service ${order.service} (hazelcast): ${backupCount} + ${asyncBackupCount} backups, at most 6 are allowed`,
      );
    const { index: worker, of } = order.share;
    this.nodes = Array.from({ length: members }, (_, index) => index)
      .filter((index) => index % of === worker)
      .map((index, place) => ({
        role: 'member',
        index,
        port: port === 0 ? 0 : port + place,
        besides: [],
      }));
  }

  async provide(workshop: Workshop): Promise<void> {
    this.#java = workshop.program(
      ['java'],
      'apt-get install openjdk-17-jre-headless (macOS: brew install openjdk@17); Hazelcast 5.5 needs Java 17',
    );
    this.#classpath = await hazelcastClasspath(this.#parameters.version, workshop);
  }

  launch(node: ServiceNode, peers: readonly ServiceNode[], directory: string): Launch {
    const heap = Math.floor(this.#parameters.heap / MEBIBYTE);
    const file = 'hazelcast.yaml';
    return {
      program: this.#java,
      arguments: [
        ...[`-Xms${heap}m`, `-Xmx${heap}m`, '-XX:+ExitOnOutOfMemoryError', `-Djava.io.tmpdir=${directory}`],
        // What Hazelcast asks of the module system, see its reference manual.
        ...['--add-modules', 'java.se', '--add-exports', 'java.base/jdk.internal.ref=ALL-UNNAMED'],
        ...['java.base/java.lang', 'java.base/sun.nio.ch', 'java.management/sun.management'].flatMap(
          (name) => ['--add-opens', `${name}=ALL-UNNAMED`],
        ),
        ...['--add-opens', 'jdk.management/com.sun.management.internal=ALL-UNNAMED'],
        ...[`-Dhazelcast.config=${directory}/${file}`, '-cp', this.#classpath, MAIN],
      ],
      files: [
        {
          name: file,
          text: memberConfiguration(this.#parameters, this.#parameters.clusterName, node, peers),
        },
      ],
    };
  }

  async answers(node: ServiceNode): Promise<string | null> {
    try {
      const { nodeState } = await memberHealth(node);
      return nodeState === 'ACTIVE' ? null : `its state is ${nodeState}`;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  async form(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async formed(
    node: ServiceNode,
    peers: readonly ServiceNode[],
    away: ReadonlySet<number>,
  ): Promise<string | null> {
    const expected = peers.length - away.size;
    try {
      const { clusterSize, clusterState, clusterSafe, migrationQueueSize } = await memberHealth(node);
      if (clusterSize < expected) return `it sees ${clusterSize} of ${expected} members`;
      if (clusterSize > expected)
        return `it sees ${clusterSize} members, ${clusterSize - expected} more than there are; does another cluster have the name ${this.#parameters.clusterName}?`;
      if (clusterState !== 'ACTIVE') return `the state of the cluster is ${clusterState}`;
      return clusterSafe && migrationQueueSize === 0 ? null : 'partitions are still on the move';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  async clear(): Promise<void> {
    return Promise.reject(
      new PacecarError(
        'UNSUPPORTED',
        `the service ${this.#order.service} (hazelcast) is not cleared by its recipe, since maps belong to clients; restart it, or delete by the driver`,
      ),
    );
  }

  async facts(node: ServiceNode): Promise<TargetFacts> {
    const health = await memberHealth(node);
    const { version, heap, ...parameters } = this.#parameters;
    const own = Object.entries({ ...parameters, heap }).map(([name, value]) => [
      `configured ${name}`,
      String(value),
    ]);
    const seen = Object.entries(health).map(([name, value]) => [name, String(value)]);
    return {
      address: `${node.host}:${node.port}`,
      product: 'hazelcast',
      version: this.#libraryVersion() ?? version,
      mode: health.clusterSize === 1 ? 'standalone' : 'cluster',
      settings: Object.fromEntries([...seen, ...own]),
    };
  }

  isData(): boolean {
    return false;
  }

  /** A class path of the worker's own may hold another version than the scenario asks for. */
  #libraryVersion(): string | null {
    return /^hazelcast(?:-enterprise)?-(\d[\w.-]*)\.jar$/.exec(basename(this.#classpath))?.[1] ?? null;
  }
}

export const HAZELCAST: Recipe = {
  description: {
    name: 'hazelcast',
    summary: 'A cluster of Hazelcast members, spread over the workers of the group.',
    roles: ['member'],
    speaks: 'hazelcast',
    login: false,
    parameters: MemberParametersSchema,
  },
  open: (order) => new MemberBlueprint(order),
};
