import { expect, test } from 'vitest';
import { describeInspection, type Inspection } from './endpoint-inspection.ts';

const SEEN: Inspection = {
  ok: false,
  errorClass: null,
  errorText: 'It failed',
  addresses: [],
  remoteAddress: null,
  isPrivateAddress: false,
  tlsVersion: null,
  certificates: [],
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
};

test.each([
  // A name that can never be public is refused before it is resolved, any other name afterwards.
  ['address', { errorClass: 'refused_address' }],
  ['address', { errorClass: 'refused_address', dnsMs: 3, connectMs: 5 }],
  ['name', { errorClass: 'dns', dnsMs: 3 }],
  ['name', { errorClass: 'timeout' }],
  ['connection', { errorClass: 'connect', dnsMs: 3 }],
  ['connection', { errorClass: 'timeout', dnsMs: 3 }],
  ['certificate', { errorClass: 'tls', dnsMs: 3, connectMs: 5 }],
  ['certificate', { errorClass: 'timeout', dnsMs: 3, connectMs: 5 }],
  [null, { ok: true, dnsMs: 3, connectMs: 5, tlsMs: 9 }],
])('the step that failed: %s', (step, changes) => {
  expect(describeInspection({ ...SEEN, ...changes }).failedAt).toBe(step);
});

test('the error class is not exposed', () => {
  expect(describeInspection({ ...SEEN, errorClass: 'dns' })).not.toHaveProperty('errorClass');
});
