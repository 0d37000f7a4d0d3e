// The settings that this service runs with, shown to the operator. Secrets are shown only as set or not set.
import { SETTINGS, type Setting, type Config } from '../config.ts';
import { countOf } from '../domain/counts.ts';
import type { ListenAddress } from '../setting-values.ts';

export interface SettingInForce extends Setting {
  isSecret: boolean;
  isSet: boolean;
  /** Null when it is not set, and always for a secret. */
  value: string | null;
}

type Reading = string | null | { isSet: boolean };

const READERS: Record<string, (config: Config) => Reading> = {
  WAYBILL_HOST: ({ host }) => host,
  WAYBILL_PORT: ({ port }) => String(port),
  WAYBILL_DATA_DIR: ({ dataDir }) => dataDir,
  DATABASE_URL: ({ databaseUrl }) => ({ isSet: databaseUrl !== null }),
  WAYBILL_ROLES: ({ roles }) => roles.join(','),
  WAYBILL_ENVIRONMENT: ({ environment }) => environment,
  WAYBILL_DEMO: ({ demo }) => (demo ? 'on' : 'off'),
  // Always set: given by the user, or generated in the data folder.
  WAYBILL_MASTER_KEY: () => ({ isSet: true }),
  WAYBILL_WEBHOOK_ALLOW_CIDRS: ({ webhookAllowCidrs }) => webhookAllowCidrs.join(', ') || null,
  WAYBILL_WEBHOOK_CA_FILE: ({ webhookCa }) => webhookCa && describeCertificates(webhookCa),
  WAYBILL_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies.join(', ') || null,
  WAYBILL_PUBLIC_URL: ({ publicUrl }) => publicUrl,
  WAYBILL_SMTP_URL: ({ smtpUrl }) => ({ isSet: smtpUrl !== null }),
  WAYBILL_MAIL_FROM: ({ mailFrom }) => mailFrom,
  WAYBILL_OPERATOR_EMAIL: ({ operatorEmail }) => operatorEmail,
  WAYBILL_ROUTING_URL: ({ routingUrl }) => withoutCredentials(routingUrl),
  WAYBILL_MAP_STYLE_URL: ({ mapStyleUrl }) => withoutCredentials(mapStyleUrl),
  WAYBILL_METRICS_ADDRESS: ({ metricsAddress }) => metricsAddress && describeAddress(metricsAddress),
  WAYBILL_METRICS_TOKEN: ({ metricsToken }) => ({ isSet: metricsToken !== null }),
  WAYBILL_WORKERS: ({ workers }) => String(workers),
  WAYBILL_KEEP_HISTORY_DAYS: ({ retention }) => String(retention.keepHistoryDays),
  WAYBILL_KEEP_PERSONAL_DATA_DAYS: ({ retention }) => String(retention.keepPersonalDataDays),
  WAYBILL_KEEP_UNFINISHED_DAYS: ({ retention }) => String(retention.keepUnfinishedDays),
};

export function describeSettings(config: Config): SettingInForce[] {
  return SETTINGS.map((setting) => {
    // A setting without a reader is treated as a secret.
    const reading = READERS[setting.name]?.(config);
    if (reading === undefined || (reading !== null && typeof reading === 'object')) {
      return { ...setting, isSecret: true, isSet: reading?.isSet ?? false, value: null };
    }
    return { ...setting, isSecret: false, isSet: reading !== null, value: reading };
  });
}

function describeAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function describeCertificates(pem: string): string {
  const count = pem.match(/BEGIN CERTIFICATE/g)?.length ?? 0;
  return countOf(count, 'certificate');
}

/** Removes a password before the host and anything after the question mark, which may be a key. */
function withoutCredentials(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  return url && `${url.origin}${url.pathname}`;
}
