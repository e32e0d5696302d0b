import type { ServiceNode, TargetFacts } from '@pacecar/protocol';
import { factsOf } from '../../drivers/redis-facts.js';
import type { Blueprint, Launch, NodeDraft, ServiceOrder, Workshop } from '../recipe.js';
import { askOne, askRedis, type Login } from './ask.js';
import { type ConfigurationLine, configurationText } from './settings.js';

/** A product that is configured and asked as Redis is. */
export interface RedisProduct {
  readonly programs: readonly string[];
  readonly remedy: string;
}

export const REDIS: RedisProduct = {
  programs: ['redis-server'],
  remedy: 'apt-get install redis-server (macOS: brew install redis)',
};

export const VALKEY: RedisProduct = {
  programs: ['valkey-server'],
  remedy:
    'apt-get install valkey-server where the system has it (macOS: brew install valkey), see valkey.io/download',
};

export const CONFIGURATION_FILE = 'server.conf';
/** Redis itself waits up to 10 s for its replicas before it goes, and a last snapshot takes its time. */
const LEAVE_MS = 30_000;

/** What servers of the Redis family have in common. */
export abstract class RedisBlueprint implements Blueprint {
  abstract readonly nodes: readonly NodeDraft[];
  readonly leaveMs = LEAVE_MS;
  protected readonly order: ServiceOrder;
  protected readonly product: RedisProduct;
  protected program = '';

  constructor(order: ServiceOrder, product: RedisProduct) {
    this.order = order;
    this.product = product;
  }

  get certificateAuthority(): string | null {
    return null;
  }

  async provide(workshop: Workshop): Promise<void> {
    this.program = workshop.program(this.product.programs, this.product.remedy);
    return Promise.resolve();
  }

  launch(node: ServiceNode, peers: readonly ServiceNode[], directory: string): Launch {
    const text = configurationText([...this.common(node), ...this.lines(node, peers)]);
    return {
      program: this.program,
      arguments: [`${directory}/${CONFIGURATION_FILE}`],
      files: [{ name: CONFIGURATION_FILE, text }],
    };
  }

  async answers(node: ServiceNode): Promise<string | null> {
    try {
      const [reply] = await askRedis(node, this.login(node), [['PING']]);
      if (reply?.kind === 'error')
        return reply.text.startsWith('LOADING') ? 'it is still loading its data' : reply.text;
      return null;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  async form(_peers: readonly ServiceNode[]): Promise<string | null> {
    return Promise.resolve(null);
  }

  async formed(_node: ServiceNode, _peers: readonly ServiceNode[]): Promise<string | null> {
    return Promise.resolve(null);
  }

  async clear(node: ServiceNode): Promise<void> {
    await askOne(node, this.login(node), ['FLUSHALL']);
  }

  async facts(node: ServiceNode): Promise<TargetFacts> {
    const login = this.login(node);
    return factsOf(`${node.host}:${node.port}`, async (command) => {
      const [reply] = await askRedis(node, login, [command]);
      return reply ?? { kind: 'nothing' };
    });
  }

  isData(name: string): boolean {
    return name === 'dump.rdb' || name === 'appendonly.aof' || name.startsWith('appendonlydir/');
  }

  protected login(_node: ServiceNode): Login {
    return this.order;
  }

  protected abstract lines(node: ServiceNode, peers: readonly ServiceNode[]): readonly ConfigurationLine[];

  /** Of every process; `listening` says how it is reached. */
  protected common(node: ServiceNode): ConfigurationLine[] {
    return [
      ['bind', node.host],
      ...this.listening(node),
      ['daemonize', 'no'],
      ['dir', '.'],
      ['logfile', ''],
      // A replica gets its copy at once; by default a primary waits 5 s for others that might want one too.
      ['repl-diskless-sync-delay', 0],
    ];
  }

  protected listening(node: ServiceNode): ConfigurationLine[] {
    return [['port', node.port]];
  }
}
