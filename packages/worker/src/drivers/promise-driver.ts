import { CAN_MISS, PacecarError, type TargetFacts, type Workload } from '@pacecar/protocol';
import type { Driver, DriverContext } from '../engine/driver-port.js';
import type { ActionTable, ClientAction } from './client-action.js';
import { WorkloadData } from './client-task.js';
import { LocalTurn } from './local-turn.js';
import { PromiseChannel, type PromiseClient } from './promise-channel.js';

/**
 * A client driver over a library with promises. What is written for a product:
 *
 *   1. a PromiseClient: connect, disconnect, and which errors the target answered with;
 *   2. an ActionTable: for each operation that the product has, a function `start` that asks the library and gives a
 *      promise, and a function `judge` that says what the answer means. The ClientTask has keys, values and fields as
 *      texts or bytes, and `found`, `foundAll`, `foundRecord` and `scanned` judge and check what was read. For example
 *
 *        get: () => ({ start: (map, task) => map.get(task.keyText), judge: (value, task) => task.found(value) })
 *
 *   3. a DriverDescription whose operations are `operationsOf(table)`, an entry in registry.ts and load-driver.ts.
 *
 * Everything else is done here: depth is the number of promises outstanding, each operation has one latency however many
 * steps it takes, answers of a client that was dropped are ignored, and a value that is checked is checked after the
 * clock has stopped. The conformance suites in test/drivers then run on it by its name.
 */
export function promiseDriver<Client extends PromiseClient>(options: {
  readonly context: DriverContext;
  readonly actions: ActionTable<Client>;
  /** What the target says of itself. */
  readonly inspect: () => Promise<TargetFacts>;
  /** Makes a client that is not connected; `lost` is to be called once if its connection ends by itself. */
  readonly createClient: (lost: () => void) => Client;
  /** What to say when connecting brought neither success nor an error in time. */
  readonly timedOut: () => PacecarError;
}): Driver {
  const { context, actions, createClient, timedOut } = options;
  return {
    inspect: options.inspect,
    prepare(workload) {
      const shared = {
        ...{ clock: context.clock, connectTimeoutMs: context.connectTimeoutMs, createClient, timedOut },
        data: new WorkloadData(workload),
        localTurn: new LocalTurn(),
        actions: workload.mix.map((action) => actionOf(actions, action, workload)),
        canMiss: workload.mix.map(({ operation }) => CAN_MISS.has(operation)),
      };
      return (lane) => new PromiseChannel(lane, shared);
    },
  };
}

function actionOf<Client>(
  actions: ActionTable<Client>,
  action: Workload['mix'][number],
  workload: Workload,
): ClientAction<Client> {
  const make = actions[action.operation];
  if (make === undefined) throw new PacecarError('UNSUPPORTED', `this driver has no ${action.operation}`);
  return make(action, workload);
}
