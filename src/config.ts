// The settings: one schema, a sentence each, checked at start. Nothing else reads the environment.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const NODE_ROLES = ['api', 'deliver', 'plan'] as const;
type NodeRole = (typeof NODE_ROLES)[number];

export interface Config {
  host: string;
  port: number;
  /** Absolute. */
  dataDir: string;
  /** Null: the embedded server in the data folder. */
  databaseUrl: string | null;
  roles: readonly NodeRole[];
  environment: 'live' | 'test';
  demo: boolean;
  /** Null: kept in the data folder, made there at the first start. */
  masterKey: Buffer | null;
  webhookAllowCidrs: readonly string[];
  /** Certificates in PEM, trusted besides the public ones. */
  webhookCa: string | null;
  smtpUrl: string | null;
  routingUrl: string | null;
  /** Nothing that stops the service, but whoever started it should know. */
  warnings: readonly string[];
}

export type Environment = Record<string, string | undefined>;
export type ConfigReading = { ok: true; config: Config } | { ok: false; problems: string[] };

export const MASTER_KEY_BYTES = 32;

const DEFAULTS = {
  WAYBILL_HOST: '127.0.0.1',
  WAYBILL_PORT: '8080',
  WAYBILL_DATA_DIR: './data',
  WAYBILL_ROLES: NODE_ROLES.join(','),
  WAYBILL_ENVIRONMENT: 'live',
  WAYBILL_DEMO: 'off',
} as const;

const SCHEMA = z.object({
  WAYBILL_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'WAYBILL_HOST must be a host name or an address, without a port.')
    .default(DEFAULTS.WAYBILL_HOST)
    .describe('The address on which the service listens; `0.0.0.0` or `::` for all of them.'),
  WAYBILL_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'WAYBILL_PORT must be a whole number from 0 to 65535.')
    .transform(Number)
    .refine((port) => port <= 65_535, 'WAYBILL_PORT must be a whole number from 0 to 65535.')
    .prefault(DEFAULTS.WAYBILL_PORT)
    .describe('The port on which the service listens; `0` lets the system choose a free one.'),
  WAYBILL_DATA_DIR: z
    .string()
    .transform((folder) => path.resolve(folder))
    .prefault(DEFAULTS.WAYBILL_DATA_DIR)
    .describe('The folder that holds the embedded database and the master key.'),
  DATABASE_URL: z
    .string()
    .refine(
      isUrlOf('postgres:', 'postgresql:'),
      'DATABASE_URL must look like postgresql://user:password@host:5432/name.',
    )
    .optional()
    .describe('An external PostgreSQL 15 or later; without it the embedded one is used.'),
  WAYBILL_ROLES: z
    .string()
    .transform(readRoles)
    .prefault(DEFAULTS.WAYBILL_ROLES)
    .describe(
      'What this node does, separated by commas: `api` takes orders and serves the pages, `deliver` sends webhooks, `plan` plans routes.',
    ),
  WAYBILL_ENVIRONMENT: z
    .enum(['live', 'test'], 'WAYBILL_ENVIRONMENT must be live or test.')
    .default(DEFAULTS.WAYBILL_ENVIRONMENT)
    .describe('`live`, or `test` for the staging address, where robots carry the orders.'),
  WAYBILL_DEMO: z
    .enum(['on', 'off'], 'WAYBILL_DEMO must be on or off.')
    .default(DEFAULTS.WAYBILL_DEMO)
    .describe('`on` adds a demo restaurant, robots and a demo receiver; `npm start` turns it on.'),
  WAYBILL_MASTER_KEY: z
    .string()
    .transform(readMasterKeyText)
    .optional()
    .describe(
      '32 bytes in base64 that seal every secret; made in the data folder when the database is embedded, required with `DATABASE_URL`.',
    ),
  WAYBILL_WEBHOOK_ALLOW_CIDRS: z
    .string()
    .transform(readCidrs)
    .prefault('')
    .describe(
      'Networks that webhooks may reach although they are not public, such as `10.1.0.0/16`, separated by commas.',
    ),
  WAYBILL_WEBHOOK_CA_FILE: z
    .string()
    .transform(readCaFile)
    .optional()
    .describe('A PEM file of certificate authorities that webhooks trust besides the public ones.'),
  WAYBILL_SMTP_URL: z
    .string()
    .refine(isUrlOf('smtp:', 'smtps:'), 'WAYBILL_SMTP_URL must look like smtp://user:password@host:587.')
    .optional()
    .describe(
      'The mail server for notices to restaurants and the operator; without it they are shown in the pages only.',
    ),
  WAYBILL_ROUTING_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'WAYBILL_ROUTING_URL must start with http:// or https://.')
    .optional()
    .describe(
      'A routing service with an OSRM interface for travel times; without it they are estimated from distances.',
    ),
});

export interface Setting {
  name: string;
  sentence: string;
  /** Null: not set. */
  defaultText: string | null;
}

const defaultTexts = new Map<string, string>(Object.entries(DEFAULTS));

/** What docs/operating.md tells about the settings; a test compares the two. */
export const SETTINGS: readonly Setting[] = Object.entries(SCHEMA.shape).map(([name, field]) => ({
  name,
  sentence: field.description ?? '',
  defaultText: defaultTexts.get(name) ?? null,
}));

export function environment(): Environment {
  return process.env;
}

export function readConfig(env: Environment): ConfigReading {
  // An empty value means "not set": container tools pass variables on that way.
  const given = Object.fromEntries(Object.keys(SCHEMA.shape).map((name) => [name, env[name] || undefined]));
  const reading = SCHEMA.safeParse(given);
  const problems = reading.success ? [] : reading.error.issues.map((issue) => issue.message);
  if (given['DATABASE_URL'] !== undefined && given['WAYBILL_MASTER_KEY'] === undefined) {
    problems.push(
      'DATABASE_URL is set, so WAYBILL_MASTER_KEY must be set too: every node needs the same key. ' +
        'Make one with: openssl rand -base64 32',
    );
  }
  if (!reading.success || problems.length > 0) return { ok: false, problems };
  return { ok: true, config: toConfig(reading.data, listUnknown(env)) };
}

function toConfig(values: z.output<typeof SCHEMA>, warnings: string[]): Config {
  return {
    host: values.WAYBILL_HOST,
    port: values.WAYBILL_PORT,
    dataDir: values.WAYBILL_DATA_DIR,
    databaseUrl: values.DATABASE_URL ?? null,
    roles: values.WAYBILL_ROLES,
    environment: values.WAYBILL_ENVIRONMENT,
    demo: values.WAYBILL_DEMO === 'on',
    masterKey: values.WAYBILL_MASTER_KEY ?? null,
    webhookAllowCidrs: values.WAYBILL_WEBHOOK_ALLOW_CIDRS,
    webhookCa: values.WAYBILL_WEBHOOK_CA_FILE ?? null,
    smtpUrl: values.WAYBILL_SMTP_URL ?? null,
    routingUrl: values.WAYBILL_ROUTING_URL ?? null,
    warnings,
  };
}

// A misspelt setting would otherwise do nothing, silently.
function listUnknown(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('WAYBILL_') && !Object.hasOwn(SCHEMA.shape, name))
    .sort()
    .map((name) => `${name} is not a setting of Waybill and is ignored.`);
}

export type KeyReading = { ok: true; key: Buffer } | { ok: false };

/** Exactly 32 bytes in base64; `Buffer` alone would skip over anything that is not. */
export function decodeMasterKey(text: string): KeyReading {
  const key = Buffer.from(text.trim(), 'base64');
  const isExact =
    key.length === MASTER_KEY_BYTES && key.toString('base64').replace(/=+$/, '') === text.trim().replace(/=+$/, '');
  return isExact ? { ok: true, key } : { ok: false };
}

function readMasterKeyText(text: string, context: z.RefinementCtx): Buffer {
  const reading = decodeMasterKey(text);
  if (reading.ok) return reading.key;
  return complain(
    context,
    'WAYBILL_MASTER_KEY must be exactly 32 bytes in base64. Make one with: openssl rand -base64 32',
  );
}

function readRoles(text: string, context: z.RefinementCtx): readonly NodeRole[] {
  const names = splitList(text);
  const unknown = names.filter((name) => !NODE_ROLES.some((role) => role === name));
  if (unknown.length === 0 && names.length > 0) return NODE_ROLES.filter((role) => names.includes(role));
  const what = names.length === 0 ? 'nothing' : unknown.map((name) => JSON.stringify(name)).join(', ');
  return complain(context, `WAYBILL_ROLES must name some of ${NODE_ROLES.join(', ')}, not ${what}.`);
}

function readCidrs(text: string, context: z.RefinementCtx): readonly string[] {
  const networks = splitList(text);
  const wrong = networks.find((network) => !isCidr(network));
  if (wrong === undefined) return networks;
  return complain(
    context,
    `WAYBILL_WEBHOOK_ALLOW_CIDRS must list networks such as 10.1.0.0/16 or fd00::/8, not ${JSON.stringify(wrong)}.`,
  );
}

function isCidr(text: string): boolean {
  // `ipaddr.js` alone also takes 10.1/16 and octal parts, which people read in different ways.
  return /^(?:\d+\.\d+\.\d+\.\d+|[\da-f:.]*:[\da-f:.]*)\/\d+$/i.test(text) && ipaddr.isValidCIDR(text);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function readCaFile(file: string, context: z.RefinementCtx): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return complain(context, `WAYBILL_WEBHOOK_CA_FILE names ${file}, which cannot be read (${why}).`);
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates.join('\n');
  return complain(context, `WAYBILL_WEBHOOK_CA_FILE names ${file}, which does not hold certificates in PEM.`);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function isUrlOf(...protocols: string[]): (text: string) => boolean {
  return (text) => protocols.includes(URL.parse(text)?.protocol ?? '');
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
