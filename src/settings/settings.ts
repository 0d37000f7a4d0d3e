// Every setting, declared once. docs/operating.md lists the same names, defaults and sentences; a test compares them.
import path from 'node:path';
import { z } from 'zod';
import { countOf } from '../domain/counts.ts';
import {
  checkDatabaseUrl,
  httpUrl,
  NODE_ROLES,
  onOrOff,
  readCaFile,
  readCidrs,
  readListenAddress,
  readMasterKeyText,
  readRoles,
  readTrustedProxies,
  urlWithoutPassword,
  urlWithScheme,
  wholeNumber,
} from './parsers.ts';
import { setting, type Setting } from './setting.ts';

const TABLE = {
  host: setting({
    name: 'WAYBILL_HOST',
    defaultText: '127.0.0.1',
    sentence: 'Address to listen on; `0.0.0.0` or `::` listens on all interfaces.',
    parse: z.string().regex(/^[\w.:-]+$/, 'must be a host name or an address, without a port.'),
    show: (host) => host,
  }),
  port: setting({
    name: 'WAYBILL_PORT',
    defaultText: '8080',
    sentence: 'Port to listen on; `0` picks a free port.',
    parse: wholeNumber(0, 65_535),
    show: String,
  }),
  /** Absolute. */
  dataDir: setting({
    name: 'WAYBILL_DATA_DIR',
    defaultText: './data',
    sentence: 'Folder for the embedded database, the master key and imported roads.',
    parse: z.string().transform((folder) => path.resolve(folder)),
    show: (folder) => folder,
  }),
  /** Null: the embedded server in the data folder. */
  databaseUrl: setting({
    name: 'DATABASE_URL',
    unset: null,
    sentence:
      'URL of an external PostgreSQL, version 15 or later, with one server or several (`postgresql://user@one:5432,two:5432/name`); by default the embedded one is used.',
    parse: z.string().superRefine(checkDatabaseUrl),
    show: 'secret',
  }),
  roles: setting({
    name: 'WAYBILL_ROLES',
    defaultText: NODE_ROLES.join(','),
    sentence:
      'What this node does, separated by commas: `api` accepts orders and serves the pages, `deliver` sends webhooks, `plan` plans routes.',
    parse: z.string().transform(readRoles),
    show: (roles) => roles.join(','),
  }),
  environment: setting({
    name: 'WAYBILL_ENVIRONMENT',
    defaultText: 'live',
    sentence: '`live`, or `test` for a test environment in which robots play the kitchens and couriers.',
    parse: z.enum(['live', 'test'], 'must be live or test.'),
    show: (environment) => environment,
  }),
  demo: setting({
    name: 'WAYBILL_DEMO',
    defaultText: 'off',
    sentence: '`on` adds a demo restaurant, robots and a demo receiver; `npm start` sets it.',
    parse: onOrOff(),
    show: (demo) => (demo ? 'on' : 'off'),
  }),
  /** Null: kept in the data folder. */
  masterKey: setting({
    name: 'WAYBILL_MASTER_KEY',
    unset: null,
    sentence:
      'Key that encrypts every stored secret, 32 bytes in base64; required with `DATABASE_URL`, otherwise generated in the data folder.',
    parse: z.string().transform(readMasterKeyText),
    show: 'secret',
    isGenerated: true,
  }),
  webhookAllowCidrs: setting({
    name: 'WAYBILL_WEBHOOK_ALLOW_CIDRS',
    unset: [],
    sentence: 'Private networks that webhooks may be sent to, such as `10.1.0.0/16`, separated by commas.',
    parse: z.string().transform(readCidrs),
    show: (networks) => networks.join(', '),
  }),
  /** PEM. */
  webhookCa: setting({
    name: 'WAYBILL_WEBHOOK_CA_FILE',
    unset: null,
    sentence: 'PEM file with certificate authorities that webhooks trust in addition to the public ones.',
    parse: z.string().transform(readCaFile),
    show: (pem) => countOf(pem.match(/BEGIN CERTIFICATE/g)?.length ?? 0, 'certificate'),
  }),
  trustedProxies: setting({
    name: 'WAYBILL_TRUSTED_PROXIES',
    unset: [],
    sentence:
      'Addresses or networks of your reverse proxies, such as `127.0.0.1,10.1.0.0/24`; `X-Forwarded-For` and `Forwarded` are trusted only from them.',
    parse: z.string().transform(readTrustedProxies),
    show: (networks) => networks.join(', '),
  }),
  /** Without a trailing slash. */
  publicUrl: setting({
    name: 'WAYBILL_PUBLIC_URL',
    unset: null,
    sentence: 'Public URL of the service, for links in mails; by default built from `WAYBILL_HOST` and `WAYBILL_PORT`.',
    parse: httpUrl().transform((url) => url.replace(/\/+$/, '')),
    show: (url) => url,
  }),
  smtpUrl: setting({
    name: 'WAYBILL_SMTP_URL',
    unset: null,
    sentence: 'Mail server, such as `smtp://user:password@host:587`; if not set, mails stay queued for up to 30 days.',
    parse: urlWithScheme(['smtp:', 'smtps:'], 'must look like smtp://user:password@host:587.'),
    show: 'secret',
  }),
  mailFrom: setting({
    name: 'WAYBILL_MAIL_FROM',
    unset: null,
    sentence: 'Sender of mails; by default `waybill` at the host of `WAYBILL_PUBLIC_URL`.',
    parse: z
      .string()
      .regex(
        /^(?:[^<>@,"\r\n]+<[^\s<>@,]+@[\w.-]+>|[^\s<>@,]+@[\w.-]+)$/,
        'must look like waybill@example.com or Waybill <waybill@example.com>.',
      ),
    show: (sender) => sender,
  }),
  operatorEmail: setting({
    name: 'WAYBILL_OPERATOR_EMAIL',
    unset: null,
    sentence: 'Address for mails to the operator; by default every user with the role `operator` gets them.',
    parse: z.email('must be an email address.'),
    show: (address) => address,
  }),
  routingUrl: setting({
    name: 'WAYBILL_ROUTING_URL',
    unset: null,
    sentence:
      'Routing service with an OSRM interface, for travel times; by default they come from imported roads, or are estimated from distances.',
    parse: httpUrl(),
    show: withoutCredentials,
  }),
  mapStyleUrl: setting({
    name: 'WAYBILL_MAP_STYLE_URL',
    unset: null,
    sentence:
      'MapLibre style for the maps, with its tiles, fonts and sprites on the same origin; if not set, maps show no streets and contact no other server.',
    parse: urlWithoutPassword(),
    show: withoutCredentials,
  }),
  /** Null: `/metrics` is on the service's own port. */
  metricsAddress: setting({
    name: 'WAYBILL_METRICS_ADDRESS',
    unset: null,
    sentence:
      'Separate host and port for `/metrics`, such as `127.0.0.1:9464`; by default `/metrics` is on the port of the service.',
    parse: z.string().transform(readListenAddress),
    show: ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
  }),
  metricsToken: setting({
    name: 'WAYBILL_METRICS_TOKEN',
    unset: null,
    sentence: 'Token for `/metrics`, sent as `Authorization: Bearer <TOKEN>`; by default none is needed.',
    parse: z
      .string()
      .regex(
        /^[\w.~+/=-]{16,256}$/,
        'must be 16 to 256 characters: letters, digits and -._~+/=. Generate one with: openssl rand -hex 32',
      ),
    show: 'secret',
  }),
  workers: setting({
    name: 'WAYBILL_WORKERS',
    defaultText: '1',
    sentence:
      'Number of processes that share the port and the work, in addition to the planning process; set it to the number of cores to use.',
    parse: wholeNumber(1, 64),
    show: String,
  }),
  drainSeconds: setting({
    name: 'WAYBILL_DRAIN_SECONDS',
    defaultText: '5',
    sentence:
      'Seconds that the service keeps serving after `SIGTERM` while `/readyz` returns 503, so that load balancers remove it first; 0 to 20.',
    parse: wholeNumber(0, 20),
    show: String,
  }),
  requestDeadlineMs: setting({
    name: 'WAYBILL_REQUEST_DEADLINE_MS',
    defaultText: '5000',
    sentence: 'How long a request may wait in the service, in milliseconds, over all tries; then it gets 503.',
    parse: wholeNumber(100, 60_000),
    show: String,
  }),
  keepHistoryDays: setting({
    name: 'WAYBILL_KEEP_HISTORY_DAYS',
    defaultText: '90',
    sentence:
      'Minimum number of days to keep events and attempts; they are deleted by whole weeks, once everything in a week is delivered or discarded.',
    parse: wholeNumber(7, 3_650),
    show: String,
  }),
  keepPersonalDataDays: setting({
    name: 'WAYBILL_KEEP_PERSONAL_DATA_DAYS',
    defaultText: '30',
    sentence: 'Days after an order is finished until its personal data is erased.',
    parse: wholeNumber(1, 3_650),
    show: String,
  }),
  keepUnfinishedDays: setting({
    name: 'WAYBILL_KEEP_UNFINISHED_DAYS',
    defaultText: '90',
    sentence: 'Days without a change until the personal data of an unfinished order is erased.',
    parse: wholeNumber(1, 3_650),
    show: String,
  }),
};

export type SettingValues = {
  [Key in keyof typeof TABLE]: (typeof TABLE)[Key] extends Setting<infer Value> ? Value : never;
};
export type SettingKey = keyof SettingValues;

export const SETTINGS: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = TABLE;
export const SETTING_KEYS = Object.keys(TABLE).filter((key): key is SettingKey => key in TABLE);

/** Removes a password before the host and anything after the question mark, which may be a key. */
function withoutCredentials(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
