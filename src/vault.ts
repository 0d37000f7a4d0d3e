// Everything secret passes here: sealing what must be read again, hashing what must only be recognised, and making
// new keys and passwords.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

type RandomBytes = (count: number) => Buffer;

export interface Vault {
  /** AES-256-GCM with a fresh nonce: the same text never looks the same twice. */
  seal(text: string): Buffer;
  /** Throws `VaultError` for what was sealed with another master key, or altered. */
  open(sealed: Buffer): string;
  /** Only for generated secrets of full strength; a person's password needs argon2id. */
  keyedHash(text: string): Buffer;
}

export class VaultError extends Error {
  override name = 'VaultError';
}

// First byte of everything sealed, so that another cipher can be introduced without guessing.
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(masterKey: Buffer, randomBytes: RandomBytes): Vault {
  if (masterKey.length !== 32) throw new VaultError('the master key must have 32 bytes');
  const sealingKey = derive(masterKey, 'waybill sealing key 1');
  const hashingKey = derive(masterKey, 'waybill hashing key 1');
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce, { authTagLength: TAG_BYTES });
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), nonce, hidden, cipher.getAuthTag()]);
    },
    open(sealed) {
      if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT) {
        throw new VaultError('this was not sealed by a Waybill of this version');
      }
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const cipher = createDecipheriv('aes-256-gcm', sealingKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return cipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + cipher.final('utf8');
      } catch (error) {
        throw new VaultError('this was sealed with another master key, or altered', { cause: error });
      }
    },
    keyedHash: (text) => createHmac('sha256', hashingKey).update(text, 'utf8').digest(),
  };
}

// A key object is prepared once; a plain buffer would be prepared again for every request.
function derive(masterKey: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32)));
}

/** `wb_live_` and four characters of the key: enough to find it in a list, useless for guessing the rest. */
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

/** As the Standard Webhooks libraries expect it; 33 bytes, so that the base64 ends without `=`. */
export function generateWebhookSecret(randomBytes: RandomBytes): string {
  return `whsec_${randomBytes(33).toString('base64')}`;
}

// Thirty-two characters that are not mistaken for one another when they are read out or typed.
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
