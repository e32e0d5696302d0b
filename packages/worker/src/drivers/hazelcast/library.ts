import Long from 'long';
import hazelcast, { type Client, type ClientConfig, type IMap } from 'hazelcast-client';
// The library gives its client away only once it is connected, and then nobody could drop one that never connects. What
// `newHazelcastClient` does is these two steps.
import { ConfigBuilder } from 'hazelcast-client/lib/config/ConfigBuilder.js';

/** What an application gives as a key: text, or what becomes a java.lang.Long. */
export type MapKey = string | Long;
export type MapValue = string | Buffer | Readonly<Record<string, string>>;
export type LibraryMap = IMap<MapKey, MapValue>;

/** A number for Java; one of JavaScript's would become a java.lang.Double. */
export function longOf(number: number): Long {
  return Long.fromNumber(number);
}

/** Parts of the library that its types leave out; its version is pinned. */
interface Internals {
  init(): Promise<unknown>;
  getConnectionManager(): { readonly clusterId: { toString(): string } | undefined };
}
interface MemberInternals {
  readonly version?: { readonly major: number; readonly minor: number; readonly patch: number };
}

/** A client that is not connected yet. Throws the library's InvalidConfigurationError. */
export function makeClient(config: ClientConfig): Client {
  const Constructor = hazelcast.Client as unknown as new (config: unknown) => Client;
  return new Constructor(new ConfigBuilder(config).build());
}

export async function startClient(client: Client): Promise<void> {
  await (client as unknown as Internals).init();
}

/** The name that members gave this life of their cluster. */
export function clusterIdOf(client: Client): string | null {
  return (client as unknown as Internals).getConnectionManager().clusterId?.toString() ?? null;
}

/** Versions of the members, each once. */
export function versionsOf(client: Client): string[] {
  const versions = client
    .getCluster()
    .getMembers()
    .map((member) => {
      const { version } = member as unknown as MemberInternals;
      return version === undefined ? '' : `${version.major}.${version.minor}.${version.patch}`;
    });
  return [...new Set(versions.filter((version) => version !== ''))].sort();
}

export const { EvictionPolicy, InMemoryFormat, LifecycleState, ReconnectMode } = hazelcast;

/** Whether an error comes from the library. */
export function isLibraryError(error: unknown): boolean {
  return error instanceof hazelcast.HazelcastError;
}
