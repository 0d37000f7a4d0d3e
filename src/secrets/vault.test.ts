import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createVault,
  generateApiKey,
  generateBasicCredential,
  generatePassword,
  generateWebhookSecret,
  SEALED_IN,
  VaultError,
} from './vault.ts';

const masterKey = randomBytes(32);
const vault = createVault(masterKey, randomBytes);
const HERE = SEALED_IN.webhookSecret('here');

test('a sealed text opens to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(vault.open(vault.seal(text, HERE), HERE)).toBe(text);
    }),
  );
});

test('sealing a text twice gives different bytes that do not reveal the text', () => {
  const [first, second] = [vault.seal('whsec_visible', HERE), vault.seal('whsec_visible', HERE)];
  expect(first.equals(second)).toBe(false);
  expect(first.includes('whsec_visible')).toBe(false);
});

test('a changed bit anywhere is detected', () => {
  const sealed = vault.seal('secret', HERE);
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => vault.open(altered, HERE)).toThrow(VaultError);
  }
  expect(vault.open(sealed, HERE)).toBe('secret');
});

test('truncated or empty sealed data is detected', () => {
  const sealed = vault.seal('', HERE);
  expect(() => vault.open(sealed.subarray(0, -1), HERE)).toThrow(VaultError);
  expect(() => vault.open(Buffer.alloc(0), HERE)).toThrow(VaultError);
  expect(vault.open(sealed, HERE)).toBe('');
});

test('another master key opens nothing and gives different hashes; the original key restores both', () => {
  const sealed = vault.seal('secret', HERE);
  const other = createVault(randomBytes(32), randomBytes);
  expect(() => other.open(sealed, HERE)).toThrow(VaultError);
  expect(other.keyedHash('x').equals(vault.keyedHash('x'))).toBe(false);
  const again = createVault(masterKey, randomBytes);
  expect(again.open(sealed, HERE)).toBe('secret');
  expect(again.keyedHash('x').equals(vault.keyedHash('x'))).toBe(true);
});

// Values stored in databases and backups: a change here would lock every installation out of its own secrets.
const SEALED = '01020202020202020202020202297a86e962a85f25c0f152ca9100db68b0e01f08f129a3';
const HASHED = '35055c8fa7911ec0474eedc5d445b249ea83181a05cdb8794fd4c557dfdd81e0';
const BOUND = '02020202020202020202020202297a86e962a85fc2dee0510af4f1f6b0d1ff26eaf40c20';
const NOT_BOUND = { isBound: false, credentialKey: null };

test('the sealed and hashed formats are stable', () => {
  const old = createVault(Buffer.alloc(32, 1), (count) => Buffer.alloc(count, 2));
  expect(old.seal('Waybill', HERE).toString('hex')).toBe(BOUND);
  expect(old.keyedHash('Waybill').toString('hex')).toBe(HASHED);
  expect(old.credentialHash('Waybill').toString('hex')).toBe(HASHED);
  old.adopt(NOT_BOUND);
  expect(old.seal('Waybill', HERE).toString('hex')).toBe(SEALED);
});

test('data sealed for one row or column does not open in another', () => {
  const sealed = vault.seal('secret', SEALED_IN.webhookSecret('a'));
  expect(vault.open(sealed, SEALED_IN.webhookSecret('a'))).toBe('secret');
  for (const elsewhere of [SEALED_IN.webhookSecret('b'), SEALED_IN.mailBody('a'), SEALED_IN.keyCheck, '']) {
    expect(() => vault.open(sealed, elsewhere)).toThrow(VaultError);
  }
});

test('during a rolling upgrade, the old and new versions can open each other’s data', () => {
  const old = createVault(Buffer.alloc(32, 1), randomBytes);
  const sealed = Buffer.from(SEALED, 'hex');
  // In a bound installation, an unbound entry was not written by us.
  expect(() => old.open(sealed, HERE)).toThrow(VaultError);
  const bound = old.seal('new', HERE);
  old.adopt(NOT_BOUND);
  expect(old.open(sealed, HERE)).toBe('Waybill');
  expect(old.seal('x', HERE)[0]).toBe(1);
  // Bound values stay bound, regardless of the installation's setting.
  expect(old.open(bound, HERE)).toBe('new');
  expect(() => old.open(bound, SEALED_IN.webhookSecret('there'))).toThrow(VaultError);
});

test('credential hashes survive a change of master key; other hashes do not', () => {
  const next = createVault(randomBytes(32), randomBytes);
  next.adopt({ isBound: true, credentialKey: vault.exportCredentialKey() });
  expect(next.credentialHash('key')).toEqual(vault.credentialHash('key'));
  expect(next.keyedHash('key')).not.toEqual(vault.keyedHash('key'));
});

test('API keys carry 256 random bits, their environment, and a prefix that is part of the key', () => {
  const { apiKey, prefix } = generateApiKey('live', randomBytes);
  expect(apiKey).toMatch(/^wb_live_[0-9A-Za-z]{43}$/);
  expect(prefix).toBe(apiKey.slice(0, 12));
  expect(generateApiKey('test', randomBytes).apiKey).toMatch(/^wb_test_[0-9A-Za-z]{43}$/);
  // The largest and the smallest random value differ in everything except the length: nothing is cut off.
  const largest = generateApiKey('live', (count) => Buffer.alloc(count, 0xff)).apiKey;
  const smallest = generateApiKey('live', (count) => Buffer.alloc(count, 0)).apiKey;
  expect(largest).toHaveLength(smallest.length);
  const almost = generateApiKey('live', (count) => Buffer.alloc(count, 0xff).fill(0xfe, count - 1)).apiKey;
  expect(almost).not.toBe(largest);
});

test('generated values never repeat', () => {
  const makers = [
    () => generateApiKey('live', randomBytes).apiKey,
    () => generateBasicCredential(randomBytes).username,
    () => generateBasicCredential(randomBytes).password,
    () => generateWebhookSecret(randomBytes),
    () => generatePassword(randomBytes),
  ];
  for (const make of makers) {
    expect(new Set(Array.from({ length: 500 }, make)).size).toBe(500);
  }
});

test('a Basic username and password are safe in a header: no colon, no control character', () => {
  const { username, password } = generateBasicCredential(randomBytes);
  expect(username).toMatch(/^wb_[0-9A-Za-z]{17}$/);
  expect(password).toMatch(/^[0-9A-Za-z]{43}$/);
});

test('a webhook secret is accepted by the Standard Webhooks libraries', () => {
  const secret = generateWebhookSecret(randomBytes);
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{44}$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(33);
});

test("a user's password is easy to read out", () => {
  expect(generatePassword(randomBytes)).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
});
