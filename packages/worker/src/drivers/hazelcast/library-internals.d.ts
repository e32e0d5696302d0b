/** A part of the library that has no types of its own. */
declare module 'hazelcast-client/lib/config/ConfigBuilder.js' {
  export class ConfigBuilder {
    constructor(config: unknown);
    build(): unknown;
  }
}
