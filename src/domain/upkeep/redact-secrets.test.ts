import { expect, test } from 'vitest';
import { redactSecrets } from './redact-secrets.ts';

const SECRETS = {
  'a password in a URL': ['connect to postgresql://app:s3cr-et%21@db:5432/waybill failed', 's3cr-et%21'],
  'a password in a URL without a user': ['redis://:hunter2@cache/0', 'hunter2'],
  'a key among the parameters of a URL': ['GET https://tiles.example/style.json?key=abc123 failed', 'abc123'],
  'a live API key': ['wrong key wb_live_Zk3', 'Zk3'],
  'a webhook secret': ['secret is whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9'],
  'an authorization header': ['authorization: Bearer abcdef.ghijkl', 'abcdef'],
  'basic credentials': ['sent Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'],
  'a named value': ['login with password=letmein, user=ada', 'letmein'],
  'a quoted value': [`{"apiKey": "let me in", "x": 1}`, 'let me in'],
  'a password in SQL': [`alter role app with password 'let''me'`, "let''me"],
  'a cookie': ['cookie: waybill.session=abc', 'abc'],
  'a JSON web token': ['got eyJhbGciOi.eyJzdWIiOi.SflKxw', 'eyJzdWIiOi'],
  'a private key': ['-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----', 'MHcCAQ'],
  'a truncated private key': ['-----BEGIN PRIVATE KEY-----\nMHcCAQ', 'MHcCAQ'],
  'a key in base64': ['key 3q2+7wQZ1xkLm/0pVtYbRz8N5aGhJdCfE4uWsXoK9iI= is wrong', '3q2+7w'],
  'a key in hexadecimal': ['key 00112233445566778899aabbccddeeff is wrong', '8899aabb'],
  'a generated password': ['not h4k2m-9xw3p-7dtn5-c8vqr', '9xw3p'],
  'a second factor': ['of JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'PEHPK3'],
  'an email address': ['no such user: ada@example.com', 'ada@'],
};

test.each(Object.entries(SECRETS))('%s is removed', (_, [text = '', secret = '']) => {
  expect(text).toContain(secret);
  expect(redactSecrets(text, [])).not.toContain(secret);
});

test('a known secret is removed in every place, and one that contains another as a whole', () => {
  expect(redactSecrets('tiger and tiger2, tigers', ['tiger', 'tiger2'])).toBe('[redacted] and [redacted], [redacted]s');
});

test.each([
  'The database is unavailable: connect ECONNREFUSED 127.0.0.1:5432',
  'select id, state from orders where restaurant_id = $1 and last_changed_at > $2',
  'at placeOrder (/srv/waybill/src/actions/orders/place-order.ts:41:7)',
  'order 019a8f3e-7c1d-7b2a-9c55-0d1e2f3a4b5c of restaurant kebap-1',
  'https://pos.example.com/status answered 503',
  '0030_audit_client_address.sql',
])('ordinary text stays as it is: %s', (text) => {
  expect(redactSecrets(text, [])).toBe(text);
});
