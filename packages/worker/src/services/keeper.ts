import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PacecarError, systemReason } from '@pacecar/protocol';
import { Guard } from './guard/guard.js';
import type { Recipe, ServiceOrder } from './recipe.js';
import { RECIPES } from './registry.js';
import { Service } from './service.js';

export interface KeeperOptions {
  /** Where the directories of services are made; the system's directory for temporary files by default. */
  readonly workDirectory?: string;
  /** Leaves the directories when the keeper closes. */
  readonly keepsFiles?: boolean;
  /** A server ended without being told to. */
  readonly onDeath?: (service: string, reason: string) => void;
}

interface Room {
  readonly directory: string;
  readonly guard: Guard;
}

/** The services of one worker, by name. Whatever happens to the worker, none of their processes outlives it. */
export class ServiceKeeper {
  readonly #options: KeeperOptions;
  readonly #services = new Map<string, Service>();
  #room: Promise<Room> | null = null;
  #made = 0;

  constructor(options: KeeperOptions = {}) {
    this.#options = options;
  }

  /**
   * Finds what the service needs and holds its ports, so that its addresses are known before it runs. Throws
   * REQUEST_INVALID for wrong parameters, UNSUPPORTED for an unknown recipe, SERVICE_FAILED for what this machine
   * lacks.
   */
  async prepare(order: ServiceOrder): Promise<Service> {
    if (this.#services.has(order.service))
      throw new PacecarError(
        'REQUEST_INVALID',
        `the service ${order.service} is there already; stop it first`,
      );
    const blueprint = recipeOf(order).open(order);
    this.#room ??= this.#makeRoom();
    const { directory, guard } = await this.#room;
    const own = join(directory, `service-${this.#made++}`);
    await mkdir(own, { mode: 0o700 });
    const service = await Service.prepare({
      order,
      blueprint,
      guard,
      directory: own,
      onDeath: (reason) => this.#options.onDeath?.(order.service, reason),
    });
    this.#services.set(order.service, service);
    return service;
  }

  /** Throws REQUEST_INVALID for a service that was not prepared. */
  service(name: string): Service {
    const service = this.#services.get(name);
    if (service === undefined)
      throw new PacecarError('REQUEST_INVALID', `the service ${name} was not started on this worker`);
    return service;
  }

  /** Ends what is left of a service and forgets it; a new one of that name begins with empty directories. */
  async discard(name: string): Promise<void> {
    const service = this.#services.get(name);
    this.#services.delete(name);
    await service?.discard();
  }

  /** Ends every process and removes every file. */
  async close(): Promise<void> {
    await Promise.all([...this.#services.keys()].map((name) => this.discard(name)));
    const room = await this.#room?.catch(() => null);
    this.#room = null;
    if (room === null || room === undefined) return;
    await room.guard.close();
    if (this.#options.keepsFiles !== true) await rm(room.directory, { recursive: true, force: true });
  }

  async #makeRoom(): Promise<Room> {
    const parent = this.#options.workDirectory ?? tmpdir();
    let directory: string;
    try {
      await mkdir(parent, { recursive: true });
      directory = await mkdtemp(join(parent, 'pacecar-services-'));
    } catch (thrown) {
      this.#room = null;
      throw new PacecarError('STORAGE', `services cannot work in ${parent}: ${systemReason(thrown)}`, {
        cause: thrown,
      });
    }
    return { directory, guard: new Guard(this.#options.keepsFiles === true ? null : directory) };
  }
}

function recipeOf(order: ServiceOrder): Recipe {
  const recipe = RECIPES.find(({ description }) => description.name === order.recipe);
  if (recipe === undefined)
    throw new PacecarError(
      'UNSUPPORTED',
      `this worker has no recipe ${JSON.stringify(order.recipe)}; it has ${RECIPES.map(({ description }) => description.name).join(', ')}`,
    );
  return recipe;
}
