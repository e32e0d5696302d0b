import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { DriverFactsSchema, HostFactsSchema } from '@pacecar/protocol';
import { DRIVERS } from '../drivers/registry.js';
import { driverFacts, hostFacts } from './host-facts.js';
import { linkAddress } from './link.js';

test('what is no address of a coordinator is refused, and a secret in it is not repeated', async () => {
  for (const address of ['', 'host:2103', 'http://host', 'ws://', '10.0.0.1'])
    await assert.rejects(linkAddress(address, null), { code: 'REQUEST_INVALID' }, address);
  for (const address of ['ws://me:s3cret@host:1', 'ws://host:1?token=s3cret', 'ws://host:1/#s3cret'])
    await assert.rejects(
      linkAddress(address, null),
      (error: Error) => !error.message.includes('s3cret'),
      address,
    );
  assert.equal((await linkAddress('ws://host:2103', null)).url, 'ws://host:2103/');
  assert.equal((await linkAddress('wss://[::1]:2103', null)).url, 'wss://[::1]:2103/');
});

test('an authority is read once, and is of use only with wss', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pacecar-link-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, 'ca.pem');
  const [certificate, another] = rootCertificates as [string, string];
  const bundle = `authorities of this house\n${certificate}\n${another}\n`;
  await writeFile(file, bundle);
  assert.equal(String((await linkAddress('wss://host', file)).certificateAuthority), bundle);
  await assert.rejects(linkAddress('ws://host', file), /only with wss/);
  const damaged = certificate.replace(/\n.{20}/, '\n!!!!');
  for (const [text, message] of [
    ['certificate', /--ca .*ca\.pem cannot be used: it holds no PEM certificate/],
    ['', /holds no PEM certificate/],
    [`${certificate}\n${damaged}`, /certificate 2 of 2 in it is damaged/],
  ] as const) {
    await writeFile(file, text);
    await assert.rejects(linkAddress('wss://host', file), { code: 'REQUEST_INVALID', message });
  }
  await assert.rejects(linkAddress('wss://host', join(directory, 'none')), {
    code: 'REQUEST_INVALID',
    message: /--ca .*none cannot be used: there is no such file/,
  });
});

test('facts of this host and its drivers are within the limits of the protocol', () => {
  HostFactsSchema.parse(hostFacts());
  const drivers = driverFacts(DRIVERS).map((facts) => DriverFactsSchema.parse(facts));
  for (const { name, version } of drivers) assert.match(version, /^\d+\.\d+/, name);
});
