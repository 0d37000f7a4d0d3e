// Parsers for the values of settings. Their error messages continue the name of the setting.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { DatabaseUrlError, readDatabaseUrl } from '../store/database/connecting/database-url.ts';

export const NODE_ROLES = ['api', 'deliver', 'plan'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

export const MASTER_KEY_BYTES = 32;

const HTTP_SCHEMES = ['http:', 'https:'];

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}.`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export function onOrOff() {
  return z.enum(['on', 'off'], 'must be on or off.').transform((text) => text === 'on');
}

export function urlWithScheme(schemes: readonly string[], message: string) {
  return z.string().refine((text) => schemes.includes(URL.parse(text)?.protocol ?? ''), message);
}

export function httpUrl() {
  return urlWithScheme(HTTP_SCHEMES, 'must start with http:// or https://.');
}

export function checkDatabaseUrl(text: string, context: z.RefinementCtx): void {
  try {
    readDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    complain(context, error.message);
  }
}

/** For browsers, which don't fetch URLs that contain a password. */
export function urlWithoutPassword() {
  const isAllowed = (url: URL | null): boolean =>
    url !== null && HTTP_SCHEMES.includes(url.protocol) && url.username === '' && url.password === '';
  return z
    .string()
    .refine(
      (text) => isAllowed(URL.parse(text)),
      'must start with http:// or https:// and contain no user name or password.',
    );
}

export type KeyReading = { ok: true; key: Buffer } | { ok: false };

/** Exactly 32 bytes in base64. `Buffer` alone would skip invalid characters. */
export function decodeMasterKey(text: string): KeyReading {
  const key = Buffer.from(text.trim(), 'base64');
  const isExact =
    key.length === MASTER_KEY_BYTES && key.toString('base64').replace(/=+$/, '') === text.trim().replace(/=+$/, '');
  return isExact ? { ok: true, key } : { ok: false };
}

export function readMasterKeyText(text: string, context: z.RefinementCtx): Buffer {
  const reading = decodeMasterKey(text);
  if (reading.ok) return reading.key;
  return complain(context, 'must be exactly 32 bytes in base64. Generate one with: openssl rand -base64 32');
}

export function readRoles(text: string, context: z.RefinementCtx): readonly NodeRole[] {
  const names = splitList(text);
  const unknown = names.filter((name) => !NODE_ROLES.some((role) => role === name));
  if (unknown.length === 0 && names.length > 0) return NODE_ROLES.filter((role) => names.includes(role));
  const what = names.length === 0 ? 'an empty list' : unknown.map((name) => JSON.stringify(name)).join(', ');
  return complain(context, `must be a list of ${NODE_ROLES.join(', ')}, not ${what}.`);
}

/** Where a server listens. */
export interface ListenAddress {
  host: string;
  port: number;
}

export function readListenAddress(text: string, context: z.RefinementCtx): ListenAddress {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3] ?? Number.NaN);
  const host = match?.[1] ?? match?.[2];
  if (host !== undefined && port <= 65_535) return { host, port };
  return complain(
    context,
    `must be a host and a port such as 127.0.0.1:9464 or [::1]:9464, not ${JSON.stringify(text)}.`,
  );
}

export function readCidrs(text: string, context: z.RefinementCtx): readonly string[] {
  const networks = splitList(text);
  const wrong = networks.find((network) => !isCidr(network));
  if (wrong === undefined) return networks;
  return complain(context, `must list networks such as 10.1.0.0/16 or fd00::/8, not ${JSON.stringify(wrong)}.`);
}

export function readTrustedProxies(text: string, context: z.RefinementCtx): readonly string[] {
  const networks = splitList(text);
  const everyone = networks.find((network) => network.endsWith('/0'));
  if (everyone !== undefined) {
    return complain(
      context,
      `must not contain ${everyone}: every client could then claim any address. List only your proxies.`,
    );
  }
  // IPv4-mapped IPv6 addresses are compared as IPv4, so a network written that way would match nothing.
  const wrong = networks.find((network) => !(isCidr(network) || isIP(network) !== 0) || /^::ffff:|%/i.test(network));
  if (wrong === undefined) return networks;
  return complain(
    context,
    `must list addresses or networks such as 127.0.0.1 or 10.1.0.0/24, not ${JSON.stringify(wrong)}.`,
  );
}

function isCidr(text: string): boolean {
  // `ipaddr.js` alone also accepts 10.1/16 and octal parts, which are ambiguous.
  return /^(?:\d+\.\d+\.\d+\.\d+|[\da-f:.]*:[\da-f:.]*)\/\d+$/i.test(text) && ipaddr.isValidCIDR(text);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

export function readCaFile(file: string, context: z.RefinementCtx): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return complain(context, `names ${file}, which cannot be read (${why}).`);
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates.join('\n');
  return complain(context, `names ${file}, which does not contain valid PEM certificates.`);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function complain(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
