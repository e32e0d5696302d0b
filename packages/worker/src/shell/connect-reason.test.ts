import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectReason, distrustReason } from './connect-reason.js';

const failure = (code: string, message = code): Error => Object.assign(new Error(message), { code });
const ADDRESS = { url: 'wss://host:2103/', authorityFile: null };

test('a certificate that is not accepted is told from a coordinator that is not there', () => {
  const rows: [code: string, reason: RegExp | null][] = [
    ['SELF_SIGNED_CERT_IN_CHAIN', /coordinator host:2103 is not trusted; give --ca FILE/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /is not trusted; give --ca FILE/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /is not trusted; give --ca FILE/],
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /not valid yet/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another host/],
    ['ECONNREFUSED', null],
    ['ECONNRESET', null],
    ['EPROTO', null],
  ];
  for (const [code, reason] of rows) {
    const said = distrustReason(failure(code), ADDRESS);
    if (reason === null) assert.equal(said, null, code);
    else assert.match(said ?? '', reason);
  }
  assert.match(
    distrustReason(failure('SELF_SIGNED_CERT_IN_CHAIN'), { ...ADDRESS, authorityFile: 'ca.pem' }) ?? '',
    /not trusted by the authority in --ca ca\.pem/,
  );
});

test('ws against wss and the reverse: a hint, once it is no chance any more', () => {
  const plain = failure('EPROTO', '80:error:0A00010B:SSL routines::wrong version number');
  assert.equal(connectReason(plain, 'wss://h:1/', 1), 'what answers there does not speak TLS');
  assert.match(connectReason(plain, 'wss://h:1/', 3), /joined with ws:\/\/h:1/);
  const hungUp = failure('ECONNRESET', 'socket hang up');
  assert.equal(connectReason(hungUp, 'ws://h:1/', 1), 'socket hang up');
  assert.match(connectReason(hungUp, 'ws://h:1/', 3), /joined with wss:\/\/h:1/);
  assert.equal(connectReason(hungUp, 'wss://h:1/', 3), 'socket hang up');
});
