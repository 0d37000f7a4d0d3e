// The settings: one schema, a sentence each, checked at start. Nothing else reads the environment.
import path from 'node:path';
import { z } from 'zod';
import {
  isMapStyleUrl,
  isUrlOf,
  NODE_ROLES,
  readCaFile,
  readCidrs,
  readTrustedProxies,
  readListenAddress,
  readMasterKeyText,
  readRoles,
  wholeNumber,
  type ListenAddress,
  type NodeRole,
} from './setting-values.ts';

export type AppConfig = Pick<Config, 'host' | 'port' | 'roles' | 'environment' | 'webhookAllowCidrs' | 'webhookCa'> &
  Partial<Omit<Config, 'masterKey' | 'warnings'>>;

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
  /** Addresses and networks whose forwarded headers are believed. */
  trustedProxies: readonly string[];
  /** Certificates in PEM, trusted besides the public ones. */
  webhookCa: string | null;
  /** Where people reach the service, without a slash at the end. */
  publicUrl: string;
  smtpUrl: string | null;
  mailFrom: string;
  /** Null: whoever signs in as an operator. */
  operatorEmail: string | null;
  routingUrl: string | null;
  /** Null: maps draw without streets. */
  mapStyleUrl: string | null;
  retention: { keepHistoryDays: number; keepPersonalDataDays: number; keepUnfinishedDays: number };
  /** Null: `/metrics` is on the service's own port. */
  metricsAddress: ListenAddress | null;
  /** Null: whoever reaches `/metrics` may read it. */
  metricsToken: string | null;
  /** Processes that share the port and the work. */
  workers: number;
  /** Nothing that stops the service, but whoever started it should know. */
  warnings: readonly string[];
}

export type Environment = Record<string, string | undefined>;
export type ConfigReading = { ok: true; config: Config } | { ok: false; problems: string[] };

const DEFAULTS = {
  WAYBILL_HOST: '127.0.0.1',
  WAYBILL_PORT: '8080',
  WAYBILL_DATA_DIR: './data',
  WAYBILL_ROLES: NODE_ROLES.join(','),
  WAYBILL_ENVIRONMENT: 'live',
  WAYBILL_DEMO: 'off',
  WAYBILL_WORKERS: '1',
  WAYBILL_KEEP_HISTORY_DAYS: '90',
  WAYBILL_KEEP_PERSONAL_DATA_DAYS: '30',
  WAYBILL_KEEP_UNFINISHED_DAYS: '90',
} as const;

export const DEFAULT_RETENTION: Config['retention'] = {
  keepHistoryDays: Number(DEFAULTS.WAYBILL_KEEP_HISTORY_DAYS),
  keepPersonalDataDays: Number(DEFAULTS.WAYBILL_KEEP_PERSONAL_DATA_DAYS),
  keepUnfinishedDays: Number(DEFAULTS.WAYBILL_KEEP_UNFINISHED_DAYS),
};

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
  WAYBILL_TRUSTED_PROXIES: z
    .string()
    .transform(readTrustedProxies)
    .prefault('')
    .describe(
      'The proxies in front of the service, as addresses or networks such as `127.0.0.1,10.1.0.0/24`; `X-Forwarded-For` and `Forwarded` count only from them.',
    ),
  WAYBILL_PUBLIC_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'WAYBILL_PUBLIC_URL must start with http:// or https://.')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Where people reach the service, for links in mails; without it the host and port on which it listens.'),
  WAYBILL_SMTP_URL: z
    .string()
    .refine(isUrlOf('smtp:', 'smtps:'), 'WAYBILL_SMTP_URL must look like smtp://user:password@host:587.')
    .optional()
    .describe('The mail server, such as `smtp://user:password@host:587`; without it mails wait, for at most 30 days.'),
  WAYBILL_MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@,"\r\n]+<[^\s<>@,]+@[\w.-]+>|[^\s<>@,]+@[\w.-]+)$/,
      'WAYBILL_MAIL_FROM must look like waybill@example.com or Waybill <waybill@example.com>.',
    )
    .optional()
    .describe('The sender of mails; without it `waybill` at the host of `WAYBILL_PUBLIC_URL`.'),
  WAYBILL_OPERATOR_EMAIL: z
    .email('WAYBILL_OPERATOR_EMAIL must be an e-mail address.')
    .optional()
    .describe('Where mail for the operator goes; without it to everybody who signs in as an operator.'),
  WAYBILL_ROUTING_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'WAYBILL_ROUTING_URL must start with http:// or https://.')
    .optional()
    .describe(
      'A routing service with an OSRM interface for travel times; without it they are estimated from distances.',
    ),
  WAYBILL_MAP_STYLE_URL: z
    .string()
    .refine(isMapStyleUrl, 'WAYBILL_MAP_STYLE_URL must start with http:// or https:// and hold no user or password.')
    .optional()
    .describe(
      'A MapLibre style for the maps, with its tiles, fonts and sprites at the same origin; without it maps show no streets and ask nobody.',
    ),
  WAYBILL_METRICS_ADDRESS: z
    .string()
    .transform(readListenAddress)
    .optional()
    .describe(
      'A host and port of its own for `/metrics`, such as `127.0.0.1:9464`; without it `/metrics` is on the port of the service.',
    ),
  WAYBILL_METRICS_TOKEN: z
    .string()
    .regex(
      /^[\w.~+/=-]{16,256}$/,
      'WAYBILL_METRICS_TOKEN must have 16 to 256 letters, digits or characters of -._~+/=. Make one with: openssl rand -hex 32',
    )
    .optional()
    .describe('Who reads `/metrics` must send it: `Authorization: Bearer <TOKEN>`.'),
  WAYBILL_WORKERS: wholeNumber('WAYBILL_WORKERS', 1, 64)
    .prefault(DEFAULTS.WAYBILL_WORKERS)
    .describe(
      'How many processes share the port and the work, besides the one that plans: as many as there are cores to spare.',
    ),
  WAYBILL_KEEP_HISTORY_DAYS: wholeNumber('WAYBILL_KEEP_HISTORY_DAYS', 7, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_HISTORY_DAYS)
    .describe('How many days events and attempts are kept at least; they go by the week, never before they arrived.'),
  WAYBILL_KEEP_PERSONAL_DATA_DAYS: wholeNumber('WAYBILL_KEEP_PERSONAL_DATA_DAYS', 1, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_PERSONAL_DATA_DAYS)
    .describe('How many days after an order is finished what is personal in it is erased.'),
  WAYBILL_KEEP_UNFINISHED_DAYS: wholeNumber('WAYBILL_KEEP_UNFINISHED_DAYS', 1, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_UNFINISHED_DAYS)
    .describe('How many days after the last change of an order that never finishes what is personal in it is erased.'),
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
  const publicUrl = values.WAYBILL_PUBLIC_URL ?? guessPublicUrl(values.WAYBILL_HOST, values.WAYBILL_PORT);
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
    trustedProxies: values.WAYBILL_TRUSTED_PROXIES,
    webhookCa: values.WAYBILL_WEBHOOK_CA_FILE ?? null,
    publicUrl,
    smtpUrl: values.WAYBILL_SMTP_URL ?? null,
    mailFrom: values.WAYBILL_MAIL_FROM ?? `waybill@${new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '')}`,
    operatorEmail: values.WAYBILL_OPERATOR_EMAIL ?? null,
    routingUrl: values.WAYBILL_ROUTING_URL ?? null,
    mapStyleUrl: values.WAYBILL_MAP_STYLE_URL ?? null,
    retention: {
      keepHistoryDays: values.WAYBILL_KEEP_HISTORY_DAYS,
      keepPersonalDataDays: values.WAYBILL_KEEP_PERSONAL_DATA_DAYS,
      keepUnfinishedDays: values.WAYBILL_KEEP_UNFINISHED_DAYS,
    },
    metricsAddress: values.WAYBILL_METRICS_ADDRESS ?? null,
    metricsToken: values.WAYBILL_METRICS_TOKEN ?? null,
    workers: values.WAYBILL_WORKERS,
    warnings,
  };
}

function guessPublicUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}${port === 0 ? '' : `:${port}`}`;
}

// A misspelt setting would otherwise do nothing, silently.
function listUnknown(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('WAYBILL_') && !Object.hasOwn(SCHEMA.shape, name))
    .sort()
    .map((name) => `${name} is not a setting of Waybill and is ignored.`);
}
