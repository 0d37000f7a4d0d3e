// Reads the settings at startup. Nothing else reads the environment.
import type { Environment } from './setting.ts';
import { SETTING_KEYS, SETTINGS, type SettingValues } from './settings.ts';

/** The values of all settings, and what follows from them. */
export interface Config extends Omit<SettingValues, 'publicUrl' | 'mailFrom'> {
  publicUrl: string;
  mailFrom: string;
  /** Printed at startup; none of them stops the service. */
  warnings: readonly string[];
}

export type ConfigReading = { ok: true; config: Config } | { ok: false; problems: string[] };

export function environment(): Environment {
  return process.env;
}

export function readConfig(env: Environment): ConfigReading {
  const problems: string[] = [];
  const entries = SETTING_KEYS.map((key) => {
    const reading = SETTINGS[key].read(env);
    if (!reading.ok) problems.push(...reading.problems);
    return [key, reading.ok ? reading.value : undefined];
  });
  if (SETTINGS.databaseUrl.isGiven(env) && !SETTINGS.masterKey.isGiven(env)) {
    problems.push(
      `${SETTINGS.masterKey.name} is required with ${SETTINGS.databaseUrl.name}, because every node needs the same key. ` +
        'Generate one with: openssl rand -base64 32',
    );
  }
  if (problems.length > 0) return { ok: false, problems };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each key of the table
  const values = Object.fromEntries(entries) as SettingValues;
  return { ok: true, config: toConfig(values, listUnknown(env)) };
}

function toConfig(values: SettingValues, warnings: string[]): Config {
  const publicUrl = values.publicUrl ?? guessPublicUrl(values);
  const mailFrom = values.mailFrom ?? `waybill@${new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '')}`;
  return { ...values, publicUrl, mailFrom, warnings };
}

function guessPublicUrl({ host, port }: SettingValues): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}${port === 0 ? '' : `:${port}`}`;
}

// A misspelled setting would otherwise be ignored silently.
function listUnknown(env: Environment): string[] {
  const known = new Set(SETTING_KEYS.flatMap((key) => SETTINGS[key].variables));
  return Object.keys(env)
    .filter((name) => name.startsWith('WAYBILL_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a known setting and is ignored.`);
}
