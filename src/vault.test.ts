import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createVault,
  generateApiKey,
  generateBasicCredential,
  generatePassword,
  generateWebhookSecret,
  VaultError,
} from './vault.ts';

const masterKey = randomBytes(32);
const vault = createVault(masterKey, randomBytes);

test('what is sealed opens to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(vault.open(vault.seal(text))).toBe(text);
    }),
  );
});

test('sealing the same text twice gives different bytes, none of which show the text', () => {
  const [first, second] = [vault.seal('whsec_visible'), vault.seal('whsec_visible')];
  expect(first.equals(second)).toBe(false);
  expect(first.includes('whsec_visible')).toBe(false);
});

test('a changed bit anywhere is noticed', () => {
  const sealed = vault.seal('secret');
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => vault.open(altered)).toThrow(VaultError);
  }
  expect(vault.open(sealed)).toBe('secret');
});

test('a truncated or empty seal is noticed', () => {
  const sealed = vault.seal('');
  expect(() => vault.open(sealed.subarray(0, -1))).toThrow(VaultError);
  expect(() => vault.open(Buffer.alloc(0))).toThrow(VaultError);
  expect(vault.open(sealed)).toBe('');
});

test('another master key opens nothing and hashes differently; the same one does both again', () => {
  const sealed = vault.seal('secret');
  const other = createVault(randomBytes(32), randomBytes);
  expect(() => other.open(sealed)).toThrow(VaultError);
  expect(other.keyedHash('x').equals(vault.keyedHash('x'))).toBe(false);
  const again = createVault(masterKey, randomBytes);
  expect(again.open(sealed)).toBe('secret');
  expect(again.keyedHash('x').equals(vault.keyedHash('x'))).toBe(true);
});

// Values written into databases and backups: a change here would lock every installation out of its own secrets.
const SEALED = '01020202020202020202020202297a86e962a85f25c0f152ca9100db68b0e01f08f129a3';
const HASHED = '35055c8fa7911ec0474eedc5d445b249ea83181a05cdb8794fd4c557dfdd81e0';

test('the format never changes', () => {
  const old = createVault(Buffer.alloc(32, 1), (count) => Buffer.alloc(count, 2));
  expect(old.seal('Waybill').toString('hex')).toBe(SEALED);
  expect(old.keyedHash('Waybill').toString('hex')).toBe(HASHED);
});

test('API keys carry 256 random bits, their environment, and a prefix that is part of them', () => {
  const { apiKey, prefix } = generateApiKey('live', randomBytes);
  expect(apiKey).toMatch(/^wb_live_[0-9A-Za-z]{43}$/);
  expect(prefix).toBe(apiKey.slice(0, 12));
  expect(generateApiKey('test', randomBytes).apiKey).toMatch(/^wb_test_[0-9A-Za-z]{43}$/);
  // The largest and the smallest draw differ in every respect but the length: nothing is cut off.
  const largest = generateApiKey('live', (count) => Buffer.alloc(count, 0xff)).apiKey;
  const smallest = generateApiKey('live', (count) => Buffer.alloc(count, 0)).apiKey;
  expect(largest).toHaveLength(smallest.length);
  const almost = generateApiKey('live', (count) => Buffer.alloc(count, 0xff).fill(0xfe, count - 1)).apiKey;
  expect(almost).not.toBe(largest);
});

test('what is generated never comes twice', () => {
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

test('a Basic username and password can stand in a header: no colon, no control character', () => {
  const { username, password } = generateBasicCredential(randomBytes);
  expect(username).toMatch(/^wb_[0-9A-Za-z]{17}$/);
  expect(password).toMatch(/^[0-9A-Za-z]{43}$/);
});

test('a webhook secret is what the Standard Webhooks libraries accept', () => {
  const secret = generateWebhookSecret(randomBytes);
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{44}$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(33);
});

test("a person's password is easy to read out", () => {
  expect(generatePassword(randomBytes)).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
});
