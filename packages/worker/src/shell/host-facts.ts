import { createRequire } from 'node:module';
import { cpus, hostname, totalmem } from 'node:os';
import { type DriverDescription, type DriverFacts, type HostFacts, PACECAR_VERSION } from '@pacecar/protocol';

/** What this process knows of its machine without asking anybody. */
export function hostFacts(): HostFacts {
  const processors = cpus();
  return {
    hostname: hostname().slice(0, 253),
    platform: process.platform,
    architecture: process.arch,
    cpuModel: (processors[0]?.model.trim() || 'unknown').slice(0, 200),
    // Some containers show no processor at all.
    cpuCount: Math.max(1, processors.length),
    memoryBytes: totalmem(),
    nodeVersion: process.version,
    pacecarVersion: PACECAR_VERSION,
    pid: process.pid,
    wallTime: new Date().toISOString(),
  };
}

/** A wire driver is of Pacecar's version; a client driver of that of its library. */
export function driverFacts(drivers: readonly DriverDescription[]): DriverFacts[] {
  return drivers.map((driver) => ({
    name: driver.name,
    class: driver.class,
    version: driver.class === 'wire' ? PACECAR_VERSION : libraryVersion(driver.library ?? driver.name),
    operations: driver.operations,
  }));
}

function libraryVersion(name: string): string {
  try {
    const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version?: unknown };
    return typeof version === 'string' ? version : 'unknown';
  } catch {
    return 'unknown';
  }
}
