import type { ServiceNode } from '@pacecar/protocol';
import { z } from 'zod';
import { parametersOf, port } from '../parameters.js';
import type { NodeDraft, Recipe, ServiceOrder, Workshop } from '../recipe.js';
import { REDIS, RedisBlueprint, type RedisProduct, VALKEY } from './blueprint.js';
import { type Certificate, givenCertificate, makeCertificate } from './certificate.js';
import { type ConfigurationLine, loginLines, ServerShape, serverLines } from './settings.js';

const path = (what: string) =>
  z.string().max(4_000).default('').describe(`${what} on the worker's machine, for tls: files.`);

const ParametersSchema = z.strictObject({
  port: port(),
  ...ServerShape,
  databases: z.int().min(1).max(100_000).default(16).describe('How many databases it has.'),
  tls: z
    .enum(['none', 'generated', 'files'])
    .default('none')
    .describe('generated: a certificate made for this run, which clients are told to trust.'),
  certificateFile: path('PEM file of the certificate'),
  keyFile: path('PEM file of its key'),
  authorityFile: path('PEM file of the authority that signed it'),
});
type Parameters = z.infer<typeof ParametersSchema>;

class ServerBlueprint extends RedisBlueprint {
  readonly nodes: readonly NodeDraft[];
  readonly #parameters: Parameters;
  #certificate: Certificate | null = null;

  constructor(order: ServiceOrder, product: RedisProduct) {
    super(order, product);
    this.#parameters = parametersOf(ParametersSchema, order);
    this.nodes =
      order.share.index === 0 ? [{ role: 'server', index: 0, port: this.#parameters.port, besides: [] }] : [];
  }

  override get certificateAuthority(): string | null {
    return this.#certificate?.authority ?? null;
  }

  override async provide(workshop: Workshop): Promise<void> {
    await super.provide(workshop);
    const { tls, certificateFile, keyFile, authorityFile } = this.#parameters;
    if (tls === 'generated') this.#certificate = await makeCertificate(workshop, this.order.host);
    if (tls === 'files')
      this.#certificate = await givenCertificate({ certificateFile, keyFile, authorityFile });
  }

  protected override listening(node: ServiceNode): ConfigurationLine[] {
    const certificate = this.#certificate;
    if (certificate === null) return super.listening(node);
    return [
      ['port', 0],
      ['tls-port', node.port],
      ['tls-cert-file', certificate.certificateFile],
      ['tls-key-file', certificate.keyFile],
      ['tls-ca-cert-file', certificate.authorityFile],
      ['tls-auth-clients', 'no'],
    ];
  }

  protected lines(): ConfigurationLine[] {
    const { username, password } = this.order;
    return [
      ...serverLines(this.#parameters),
      ...loginLines(username, password),
      ['databases', this.#parameters.databases],
    ];
  }
}

function serverRecipe(name: string, summary: string, product: RedisProduct): Recipe {
  return {
    description: {
      name,
      summary,
      roles: ['server'],
      speaks: 'redis',
      login: true,
      parameters: ParametersSchema,
    },
    open: (order) => new ServerBlueprint(order, product),
  };
}

export const REDIS_SERVER = serverRecipe('redis-server', 'One Redis server.', REDIS);
export const VALKEY_SERVER = serverRecipe('valkey-server', 'One Valkey server.', VALKEY);
