import type { ServiceNode, TargetFacts } from '@pacecar/protocol';
import { z } from 'zod';
import { bytes, parametersOf, port } from '../parameters.js';
import type { Blueprint, Launch, NodeDraft, Recipe, ServiceOrder, Workshop } from '../recipe.js';
import { askMemcached } from './ask.js';

const MEBIBYTE = 1024 * 1024;
const LEAVE_MS = 5_000;

/** What `stats` and `stats settings` say that decides a measurement. */
const SETTINGS = [
  'maxbytes',
  'maxconns',
  'num_threads',
  'evictions',
  'item_size_max',
  'slab_automove',
  'lru_crawler',
  'growth_factor',
  'tcp_backlog',
] as const;

const ParametersSchema = z.strictObject({
  servers: z
    .int()
    .min(1)
    .max(500)
    .default(1)
    .describe('Servers, over all workers of the group; clients spread the keys.'),
  port: port(),
  memory: bytes(MEBIBYTE, 16 * 1024 * 1024 * MEBIBYTE)
    .default(64 * MEBIBYTE)
    .describe('Most memory for items of each server.'),
  threads: z.int().min(1).max(1_024).default(4).describe('Threads of each server.'),
  maxConnections: z.int().min(1).max(1_000_000).default(4_096).describe('Most connections at a time.'),
  maxItemSize: bytes(1_024, 1024 * MEBIBYTE)
    .default(MEBIBYTE)
    .describe('Largest item.'),
  evictions: z
    .boolean()
    .default(true)
    .describe('Whether items go when the memory is full; else writes fail.'),
});
type Parameters = z.infer<typeof ParametersSchema>;

class MemcachedBlueprint implements Blueprint {
  readonly nodes: readonly NodeDraft[];
  readonly leaveMs = LEAVE_MS;
  readonly certificateAuthority = null;
  readonly #parameters: Parameters;
  #program = '';

  constructor(order: ServiceOrder) {
    this.#parameters = parametersOf(ParametersSchema, order);
    const { servers, port } = this.#parameters;
    const { index: worker, of } = order.share;
    this.nodes = Array.from({ length: servers }, (_, index) => index)
      .filter((index) => index % of === worker)
      .map((index, place) => ({ role: 'server', index, port: port === 0 ? 0 : port + place, besides: [] }));
  }

  async provide(workshop: Workshop): Promise<void> {
    this.#program = workshop.program(
      ['memcached'],
      'apt-get install memcached (macOS: brew install memcached)',
    );
    return Promise.resolve();
  }

  launch({ host, port }: ServiceNode): Launch {
    const { memory, threads, maxConnections, maxItemSize, evictions } = this.#parameters;
    return {
      program: this.#program,
      arguments: [
        ...['-l', host, '-p', String(port), '-U', '0'],
        ...['-m', String(Math.floor(memory / MEBIBYTE)), '-t', String(threads)],
        ...['-c', String(maxConnections), '-I', String(maxItemSize)],
        ...(evictions ? [] : ['-M']),
        // It refuses to run as root unless it is told whom to become.
        ...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []),
      ],
      files: [],
    };
  }

  async answers(node: ServiceNode): Promise<string | null> {
    try {
      await askMemcached(node, 'version');
      return null;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  async form(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async formed(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async clear(node: ServiceNode): Promise<void> {
    await askMemcached(node, 'flush_all');
  }

  async facts(node: ServiceNode): Promise<TargetFacts> {
    const [version] = await askMemcached(node, 'version');
    const seen = new Map(
      (await askMemcached(node, 'stats settings')).map((line) => {
        const [, name = '', ...value] = line.split(' ');
        return [name, value.join(' ')] as const;
      }),
    );
    const settings: Record<string, string> = {};
    for (const name of SETTINGS) {
      const value = seen.get(name);
      if (value !== undefined) settings[name] = value.slice(0, 1_000);
    }
    return {
      address: `${node.host}:${node.port}`,
      product: 'memcached',
      version: (version ?? '').replace(/^VERSION /, '').slice(0, 100),
      mode: 'standalone',
      settings,
    };
  }

  isData(): boolean {
    return false;
  }
}

export const MEMCACHED: Recipe = {
  description: {
    name: 'memcached',
    summary: 'Memcached servers, spread over the workers of the group.',
    roles: ['server'],
    speaks: 'memcached',
    login: false,
    parameters: ParametersSchema,
  },
  open: (order) => new MemcachedBlueprint(order),
};
