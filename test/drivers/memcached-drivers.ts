import type { Configuration, Operation } from '@pacecar/protocol';
import { DRIVERS } from '@pacecar/worker';

/** Drivers that speak to a memcached, each with every setting that changes what it says. */
export const MEMCACHED_DRIVERS: readonly {
  readonly name: string;
  readonly driver: string;
  readonly settings: Configuration['settings'];
  readonly has: (...operations: Operation[]) => boolean;
}[] = DRIVERS.filter(({ scheme }) => scheme === 'memcached').flatMap(({ name, class: kind, operations }) => {
  const all = kind === 'wire' ? [{ protocol: 'meta' }, { protocol: 'text' }] : [{}];
  return all.map((settings) => ({
    name: [name, ...Object.values(settings)].join(', '),
    driver: name,
    settings,
    has: (...wanted) => wanted.every((each) => operations.includes(each)),
  }));
});
