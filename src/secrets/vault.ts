// Handles all secrets: encrypts those that must be read again, hashes those that must only be recognized, and generates
// new keys and passwords.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

type RandomBytes = (count: number) => Buffer;

export interface Vault {
  /** AES-256-GCM with a fresh nonce, so equal texts never look the same. Opens only for the same place. */
  seal(text: string, place: string): Buffer;
  /** Throws `VaultError` if it was sealed with another master key, for another place, or was altered. */
  open(sealed: Buffer, place: string): string;
  /** Only for generated secrets of full strength; a person's password needs argon2id. Changes with the master key. */
  keyedHash(text: string): Buffer;
  /** A hash that survives a rotation of the master key, for credentials, whose plain text is not stored. */
  credentialHash(text: string): Buffer;
  /** Applies the installation's settings from the database. By default values are bound and no key was ever rotated. */
  adopt(settings: VaultSettings): void;
  /** To be sealed with the next master key during a rotation. */
  exportCredentialKey(): Buffer;
}

export interface VaultSettings {
  /** False: sealed values are not bound to their place, because a node of the previous version has to open them. */
  isBound: boolean;
  /** Null: derived from the master key. */
  credentialKey: Buffer | null;
}

export class VaultError extends Error {
  override name = 'VaultError';
}

/** The places of sealed values. A value copied to another row or column does not open there. */
export const SEALED_IN = {
  webhookSecret: (id: string) => `webhook_secrets.sealed_secret ${id}`,
  mailBody: (id: string) => `mail_outbox.sealed_body ${id}`,
  keyCheck: 'installation.key_check',
  credentialKey: 'installation.sealed_credential_key',
} as const;

// The first byte of every sealed value, so that another cipher can be introduced without guessing.
const UNBOUND = 1;
const BOUND = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(masterKey: Buffer, randomBytes: RandomBytes): Vault {
  if (masterKey.length !== 32) throw new VaultError('the master key must have 32 bytes');
  const sealingKey = derive(masterKey, 'waybill sealing key 1');
  const hashingKey = derive(masterKey, 'waybill hashing key 1');
  let credentialKey = hashingKey;
  let isBound = true;
  return {
    seal: (text, place) => seal(sealingKey, { text, place: isBound ? place : null, nonce: randomBytes(NONCE_BYTES) }),
    open(sealed, place) {
      const format = sealed.length < 1 + NONCE_BYTES + TAG_BYTES ? undefined : sealed[0];
      // An unbound value opens anywhere. In an installation that never wrote unbound values, it is a forgery.
      if (format === BOUND || (format === UNBOUND && !isBound)) {
        return open(sealingKey, sealed, format === BOUND ? place : null);
      }
      throw new VaultError('the value was not encrypted by this version of Waybill');
    },
    keyedHash: (text) => hash(hashingKey, text),
    credentialHash: (text) => hash(credentialKey, text),
    adopt(settings) {
      isBound = settings.isBound;
      credentialKey = settings.credentialKey === null ? hashingKey : createSecretKey(settings.credentialKey);
    },
    exportCredentialKey: () => credentialKey.export(),
  };
}

/** `place` null: not bound to a place. */
function seal(key: KeyObject, { text, place, nonce }: { text: string; place: string | null; nonce: Buffer }): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  if (place !== null) cipher.setAAD(Buffer.from(place, 'utf8'));
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(place === null ? UNBOUND : BOUND), nonce, hidden, cipher.getAuthTag()]);
}

function open(key: KeyObject, sealed: Buffer, place: string | null): string {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  if (place !== null) cipher.setAAD(Buffer.from(place, 'utf8'));
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return cipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + cipher.final('utf8');
  } catch (error) {
    throw new VaultError('the value was encrypted with another master key or for another row, or it was altered', {
      cause: error,
    });
  }
}

function hash(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

// A key object is prepared once; a plain buffer would be prepared again for every request.
function derive(masterKey: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32)));
}

/** `wb_live_` and four characters of the key: enough to find it in a list, too few to help guess the rest. */
const API_KEY_PREFIX_CHARACTERS = 12;

export function generateApiKey(
  environment: 'live' | 'test',
  randomBytes: RandomBytes,
): { apiKey: string; prefix: string } {
  const apiKey = `wb_${environment}_${toBase62(randomBytes(32))}`;
  return { apiKey, prefix: apiKey.slice(0, API_KEY_PREFIX_CHARACTERS) };
}

export function generateBasicCredential(randomBytes: RandomBytes): { username: string; password: string } {
  return { username: `wb_${toBase62(randomBytes(12))}`, password: toBase62(randomBytes(32)) };
}

/** In the format of the Standard Webhooks libraries; 33 bytes, so that the base64 ends without `=`. */
export function generateWebhookSecret(randomBytes: RandomBytes): string {
  return `whsec_${randomBytes(33).toString('base64')}`;
}

// 32 characters that are not easily confused when read out or typed.
const READABLE = '0123456789abcdefghjkmnpqrstvwxyz';

/** 100 random bits as four groups of five. */
export function generatePassword(randomBytes: RandomBytes): string {
  return readableCode(randomBytes(20));
}

/** Five bits of each of the first twenty bytes. */
export function readableCode(bytes: Buffer): string {
  const characters = [...bytes.subarray(0, 20)].map((byte) => READABLE.charAt(byte & 31)).join('');
  return [0, 5, 10, 15].map((start) => characters.slice(start, start + 5)).join('-');
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// Letters and digits only: a double click selects the whole key.
function toBase62(bytes: Buffer): string {
  const length = Math.ceil((bytes.length * 8) / Math.log2(62));
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
