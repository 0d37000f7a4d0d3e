// The settings in one schema, checked at startup. Nothing else reads the environment.
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
  /** Null: kept in the data folder, generated there at the first start. */
  masterKey: Buffer | null;
  webhookAllowCidrs: readonly string[];
  /** Addresses and networks whose forwarded headers are trusted. */
  trustedProxies: readonly string[];
  /** PEM certificates, trusted in addition to the public ones. */
  webhookCa: string | null;
  /** Public address of the service, without a trailing slash. */
  publicUrl: string;
  smtpUrl: string | null;
  mailFrom: string;
  /** Null: every user with the role operator. */
  operatorEmail: string | null;
  routingUrl: string | null;
  /** Null: maps show no streets. */
  mapStyleUrl: string | null;
  retention: { keepHistoryDays: number; keepPersonalDataDays: number; keepUnfinishedDays: number };
  /** Null: `/metrics` is on the service's own port. */
  metricsAddress: ListenAddress | null;
  /** Null: `/metrics` needs no token. */
  metricsToken: string | null;
  /** Number of processes that share the port and the work. */
  workers: number;
  /** Printed at startup; none of them stops the service. */
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

const SCHEMA = z.object({
  WAYBILL_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'WAYBILL_HOST must be a host name or an address, without a port.')
    .default(DEFAULTS.WAYBILL_HOST)
    .describe('Address to listen on; `0.0.0.0` or `::` listens on all interfaces.'),
  WAYBILL_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'WAYBILL_PORT must be a whole number from 0 to 65535.')
    .transform(Number)
    .refine((port) => port <= 65_535, 'WAYBILL_PORT must be a whole number from 0 to 65535.')
    .prefault(DEFAULTS.WAYBILL_PORT)
    .describe('Port to listen on; `0` picks a free port.'),
  WAYBILL_DATA_DIR: z
    .string()
    .transform((folder) => path.resolve(folder))
    .prefault(DEFAULTS.WAYBILL_DATA_DIR)
    .describe('Folder for the embedded database, the master key and imported roads.'),
  DATABASE_URL: z
    .string()
    .refine(
      isUrlOf('postgres:', 'postgresql:'),
      'DATABASE_URL must look like postgresql://user:password@host:5432/name.',
    )
    .optional()
    .describe('URL of an external PostgreSQL, version 15 or later; by default the embedded one is used.'),
  WAYBILL_ROLES: z
    .string()
    .transform(readRoles)
    .prefault(DEFAULTS.WAYBILL_ROLES)
    .describe(
      'What this node does, separated by commas: `api` accepts orders and serves the pages, `deliver` sends webhooks, `plan` plans routes.',
    ),
  WAYBILL_ENVIRONMENT: z
    .enum(['live', 'test'], 'WAYBILL_ENVIRONMENT must be live or test.')
    .default(DEFAULTS.WAYBILL_ENVIRONMENT)
    .describe('`live`, or `test` for a test environment in which robots play the kitchens and couriers.'),
  WAYBILL_DEMO: z
    .enum(['on', 'off'], 'WAYBILL_DEMO must be on or off.')
    .default(DEFAULTS.WAYBILL_DEMO)
    .describe('`on` adds a demo restaurant, robots and a demo receiver; `npm start` sets it.'),
  WAYBILL_MASTER_KEY: z
    .string()
    .transform(readMasterKeyText)
    .optional()
    .describe(
      'Key that encrypts every stored secret, 32 bytes in base64; required with `DATABASE_URL`, otherwise generated in the data folder.',
    ),
  WAYBILL_WEBHOOK_ALLOW_CIDRS: z
    .string()
    .transform(readCidrs)
    .prefault('')
    .describe('Private networks that webhooks may be sent to, such as `10.1.0.0/16`, separated by commas.'),
  WAYBILL_WEBHOOK_CA_FILE: z
    .string()
    .transform(readCaFile)
    .optional()
    .describe('PEM file with certificate authorities that webhooks trust in addition to the public ones.'),
  WAYBILL_TRUSTED_PROXIES: z
    .string()
    .transform(readTrustedProxies)
    .prefault('')
    .describe(
      'Addresses or networks of your reverse proxies, such as `127.0.0.1,10.1.0.0/24`; `X-Forwarded-For` and `Forwarded` are trusted only from them.',
    ),
  WAYBILL_PUBLIC_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'WAYBILL_PUBLIC_URL must start with http:// or https://.')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Public URL of the service, for links in mails; by default built from `WAYBILL_HOST` and `WAYBILL_PORT`.',
    ),
  WAYBILL_SMTP_URL: z
    .string()
    .refine(isUrlOf('smtp:', 'smtps:'), 'WAYBILL_SMTP_URL must look like smtp://user:password@host:587.')
    .optional()
    .describe('Mail server, such as `smtp://user:password@host:587`; if not set, mails stay queued for up to 30 days.'),
  WAYBILL_MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@,"\r\n]+<[^\s<>@,]+@[\w.-]+>|[^\s<>@,]+@[\w.-]+)$/,
      'WAYBILL_MAIL_FROM must look like waybill@example.com or Waybill <waybill@example.com>.',
    )
    .optional()
    .describe('Sender of mails; by default `waybill` at the host of `WAYBILL_PUBLIC_URL`.'),
  WAYBILL_OPERATOR_EMAIL: z
    .email('WAYBILL_OPERATOR_EMAIL must be an email address.')
    .optional()
    .describe('Address for mails to the operator; by default every user with the role `operator` gets them.'),
  WAYBILL_ROUTING_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'WAYBILL_ROUTING_URL must start with http:// or https://.')
    .optional()
    .describe(
      'Routing service with an OSRM interface, for travel times; by default they come from imported roads, or are estimated from distances.',
    ),
  WAYBILL_MAP_STYLE_URL: z
    .string()
    .refine(
      isMapStyleUrl,
      'WAYBILL_MAP_STYLE_URL must start with http:// or https:// and contain no user name or password.',
    )
    .optional()
    .describe(
      'MapLibre style for the maps, with its tiles, fonts and sprites on the same origin; if not set, maps show no streets and contact no other server.',
    ),
  WAYBILL_METRICS_ADDRESS: z
    .string()
    .transform(readListenAddress)
    .optional()
    .describe(
      'Separate host and port for `/metrics`, such as `127.0.0.1:9464`; by default `/metrics` is on the port of the service.',
    ),
  WAYBILL_METRICS_TOKEN: z
    .string()
    .regex(
      /^[\w.~+/=-]{16,256}$/,
      'WAYBILL_METRICS_TOKEN must be 16 to 256 characters: letters, digits and -._~+/=. Generate one with: openssl rand -hex 32',
    )
    .optional()
    .describe('Token for `/metrics`, sent as `Authorization: Bearer <TOKEN>`; by default none is needed.'),
  WAYBILL_WORKERS: wholeNumber('WAYBILL_WORKERS', 1, 64)
    .prefault(DEFAULTS.WAYBILL_WORKERS)
    .describe(
      'Number of processes that share the port and the work, in addition to the planning process; set it to the number of cores to use.',
    ),
  WAYBILL_KEEP_HISTORY_DAYS: wholeNumber('WAYBILL_KEEP_HISTORY_DAYS', 7, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_HISTORY_DAYS)
    .describe(
      'Minimum number of days to keep events and attempts; they are deleted by whole weeks, once everything in a week is delivered or discarded.',
    ),
  WAYBILL_KEEP_PERSONAL_DATA_DAYS: wholeNumber('WAYBILL_KEEP_PERSONAL_DATA_DAYS', 1, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_PERSONAL_DATA_DAYS)
    .describe('Days after an order is finished until its personal data is erased.'),
  WAYBILL_KEEP_UNFINISHED_DAYS: wholeNumber('WAYBILL_KEEP_UNFINISHED_DAYS', 1, 3_650)
    .prefault(DEFAULTS.WAYBILL_KEEP_UNFINISHED_DAYS)
    .describe('Days without a change until the personal data of an unfinished order is erased.'),
});

export interface Setting {
  name: string;
  sentence: string;
  /** Null: not set. */
  defaultText: string | null;
}

const defaultTexts = new Map<string, string>(Object.entries(DEFAULTS));

/** Listed in docs/operating.md; a test compares the two. */
export const SETTINGS: readonly Setting[] = Object.entries(SCHEMA.shape).map(([name, field]) => ({
  name,
  sentence: field.description ?? '',
  defaultText: defaultTexts.get(name) ?? null,
}));

export function environment(): Environment {
  return process.env;
}

export function readConfig(env: Environment): ConfigReading {
  // An empty value means "not set": container tools pass unset variables that way.
  const given = Object.fromEntries(Object.keys(SCHEMA.shape).map((name) => [name, env[name] || undefined]));
  const reading = SCHEMA.safeParse(given);
  const problems = reading.success ? [] : reading.error.issues.map((issue) => issue.message);
  if (given['DATABASE_URL'] !== undefined && given['WAYBILL_MASTER_KEY'] === undefined) {
    problems.push(
      'WAYBILL_MASTER_KEY is required with DATABASE_URL, because every node needs the same key. ' +
        'Generate one with: openssl rand -base64 32',
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

// A misspelled setting would otherwise be ignored silently.
function listUnknown(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('WAYBILL_') && !Object.hasOwn(SCHEMA.shape, name))
    .sort()
    .map((name) => `${name} is not a known setting and is ignored.`);
}
