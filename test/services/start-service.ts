import type { ServiceNode, ServiceParameters } from '@pacecar/protocol';
import { type KeeperOptions, type Service, ServiceKeeper, type ServiceOrder } from '@pacecar/worker';

const START_LIMIT_MS = 60_000;

export interface OrderDetails {
  readonly parameters?: ServiceParameters;
  readonly username?: string;
  readonly password?: string;
  readonly share?: { readonly index: number; readonly of: number };
}

/** A service of this recipe on loopback, called `it`. */
export function serviceOrder(recipe: string, details: OrderDetails = {}): ServiceOrder {
  return {
    service: 'it',
    recipe,
    parameters: details.parameters ?? {},
    username: details.username ?? null,
    password: details.password ?? null,
    share: details.share ?? { index: 0, of: 1 },
    host: '127.0.0.1',
  };
}

export interface StartedService {
  readonly service: Service;
  /** Every process, by index. */
  readonly nodes: readonly ServiceNode[];
  readonly keeper: ServiceKeeper;
  /** What ended without being told to. */
  readonly deaths: readonly string[];
  /** Ends every process and removes every file. */
  close(): Promise<void>;
}

/** A real server by one of the worker's recipes; it ends with `close`, or with this process. */
export async function startService(
  recipe: string,
  details: OrderDetails = {},
  options: KeeperOptions = {},
): Promise<StartedService> {
  const deaths: string[] = [];
  const keeper = new ServiceKeeper({ ...options, onDeath: (_service, reason) => deaths.push(reason) });
  try {
    const service = await keeper.prepare(serviceOrder(recipe, details));
    await service.start(service.nodes, START_LIMIT_MS);
    return { service, nodes: service.nodes, keeper, deaths, close: async () => keeper.close() };
  } catch (error) {
    await keeper.close();
    throw error;
  }
}
