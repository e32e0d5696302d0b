import { z } from 'zod';
import { grammar, key } from '../key-doc.js';
import { good } from '../quantity/reading.js';
import { count, flag, secret, text } from './scalar.js';

/** Where the system under test is, as it is written. */

export const TlsShape = {
  ca: key(text(100_000), {
    says: 'The authorities that are trusted: a PEM file on every worker, or the PEM itself. By default those of Node.js.',
    example: '/etc/redis/ca.crt',
  }),
  cert: key(text(100_000), {
    says: 'A certificate of our own, for servers that ask for one: a PEM file on every worker, or the PEM itself.',
    example: '/etc/redis/client.crt',
  }),
  key: key(secret(), {
    says: 'The key to it, likewise. Written out it is never shown; take it from the environment.',
    example: '/etc/redis/client.key',
  }),
  serverName: key(text(253), {
    says: "The name that the server's certificate is for. By default the host.",
    example: 'redis.internal',
  }),
  verify: key(flag(), {
    says: "Whether the server's certificate is checked.",
    fallback: 'true',
    example: 'false',
  }),
};

const tls = () => grammar('true or false', 'boolean', (value) => good(value));
const address = () => grammar('host:port', 'text', (value) => good(value));

export const TargetShape = {
  host: key(text(253), { says: 'Name or address of the server.', example: '10.0.0.5' }),
  port: key(count(1, 65_535), {
    says: 'TCP port of the server. By default 6379, of a memcached 11211, of a Hazelcast 5701, of a MongoDB 27017.',
    example: '6380',
  }),
  addresses: key(z.array(address()), {
    says: 'In the place of host and port: some nodes of a cluster or members of a replica set, from which the others are found. As a URL `redis://host:port,host:port`.',
    example: '[10.0.0.5:6379, 10.0.0.6:6379]',
  }),
  socket: key(text(1_000), {
    says: 'In the place of host and port: path of a unix socket on the workers. As a URL `redis+unix:///path`.',
    example: '/run/redis/redis.sock',
  }),
  username: key(text(1_000), {
    says: 'User of the server. By default none. A memcached or Hazelcast has none.',
    example: 'bench',
  }),
  password: key(secret(), {
    says: 'Never shown. Take it from the environment; a password in the file earns a warning.',
    example: '${env.REDIS_PASSWORD}',
  }),
  database: key(text(63), {
    says: 'Number of the database, by default 0; its name on a MongoDB, by default test. Others have none.',
    example: '1',
  }),
  tls: key(z.union([tls(), z.strictObject(TlsShape)]), {
    says: 'Encrypted connections: `true`, or a mapping (see TLS). As a URL `rediss://`.',
    fallback: 'false',
    example: '{ ca: /etc/redis/ca.crt }',
  }),
};

export const targetText = () =>
  grammar(
    '`builtin` or a URL such as redis://host:6379, memcached://host:11211 or mongodb://host:27017',
    'text',
    (value) => good(value),
  );
