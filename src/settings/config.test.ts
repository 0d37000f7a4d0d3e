import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getTestAuthority } from '../../harness/receivers/receiver.ts';
import { readConfig, type Config } from './config.ts';
import type { Environment } from './setting.ts';
import { SETTINGS } from './settings.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

function read(env: Environment): Config {
  const reading = readConfig(env);
  if (!reading.ok) throw new Error(reading.problems.join(' '));
  return reading.config;
}

function problemsOf(env: Environment): string[] {
  const reading = readConfig(env);
  return reading.ok ? [] : reading.problems;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('without any settings, everything has the documented default', () => {
  expect(read({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    dataDir: path.resolve('data'),
    databaseUrl: null,
    roles: ['api', 'deliver', 'plan'],
    environment: 'live',
    demo: false,
    masterKey: null,
    webhookAllowCidrs: [],
    trustedProxies: [],
    webhookCa: null,
    publicUrl: 'http://127.0.0.1:8080',
    smtpUrl: null,
    mailFrom: 'waybill@127.0.0.1',
    operatorEmail: null,
    routingUrl: null,
    mapStyleUrl: null,
    drainSeconds: 5,
    requestDeadlineMs: 5_000,
    keepHistoryDays: 90,
    keepPersonalDataDays: 30,
    keepUnfinishedDays: 90,
    metricsAddress: null,
    metricsToken: null,
    workers: 1,
    warnings: [],
  });
});

test('every setting is read', async () => {
  const caFile = path.join(folder, 'ca.pem');
  const { certificatePem } = await getTestAuthority();
  await writeFile(caFile, `A comment\n${certificatePem}`);
  const config = read({
    WAYBILL_HOST: '::',
    WAYBILL_PORT: '0',
    WAYBILL_DATA_DIR: '/srv/waybill',
    DATABASE_URL: 'postgresql://u:p@db.example.com:5432/waybill?sslmode=require',
    WAYBILL_ROLES: 'deliver, api',
    WAYBILL_ENVIRONMENT: 'test',
    WAYBILL_DEMO: 'on',
    WAYBILL_MASTER_KEY: KEY,
    WAYBILL_WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16, fd00::/8',
    WAYBILL_WEBHOOK_CA_FILE: caFile,
    WAYBILL_TRUSTED_PROXIES: '127.0.0.1, ::1, 10.1.0.0/24',
    WAYBILL_PUBLIC_URL: 'https://waybill.example.com/',
    WAYBILL_SMTP_URL: 'smtps://u:p@mail.example.com',
    WAYBILL_MAIL_FROM: 'Waybill <notices@example.com>',
    WAYBILL_OPERATOR_EMAIL: 'support@example.com',
    WAYBILL_ROUTING_URL: 'http://osrm:5000',
    WAYBILL_MAP_STYLE_URL: 'https://tiles.example/style.json?key=public',
    WAYBILL_METRICS_ADDRESS: '[::1]:9464',
    WAYBILL_METRICS_TOKEN: '0123456789abcdef',
    WAYBILL_WORKERS: '4',
    WAYBILL_DRAIN_SECONDS: '0',
    WAYBILL_REQUEST_DEADLINE_MS: '2500',
    WAYBILL_KEEP_HISTORY_DAYS: '7',
    WAYBILL_KEEP_PERSONAL_DATA_DAYS: '3650',
    WAYBILL_KEEP_UNFINISHED_DAYS: '1',
  });
  expect(config).toEqual({
    host: '::',
    port: 0,
    dataDir: '/srv/waybill',
    databaseUrl: 'postgresql://u:p@db.example.com:5432/waybill?sslmode=require',
    roles: ['api', 'deliver'],
    environment: 'test',
    demo: true,
    masterKey: Buffer.alloc(32, 7),
    webhookAllowCidrs: ['10.1.0.0/16', 'fd00::/8'],
    webhookCa: certificatePem.trim(),
    trustedProxies: ['127.0.0.1', '::1', '10.1.0.0/24'],
    publicUrl: 'https://waybill.example.com',
    smtpUrl: 'smtps://u:p@mail.example.com',
    mailFrom: 'Waybill <notices@example.com>',
    operatorEmail: 'support@example.com',
    routingUrl: 'http://osrm:5000',
    mapStyleUrl: 'https://tiles.example/style.json?key=public',
    drainSeconds: 0,
    requestDeadlineMs: 2_500,
    keepHistoryDays: 7,
    keepPersonalDataDays: 3650,
    keepUnfinishedDays: 1,
    metricsAddress: { host: '::1', port: 9464 },
    metricsToken: '0123456789abcdef',
    workers: 4,
    warnings: [],
  });
});

test('an empty value counts as unset', () => {
  const variables = Object.values(SETTINGS).flatMap(({ variables }) => variables);
  expect(read(Object.fromEntries(variables.map((variable) => [variable, ''])))).toEqual(read({}));
});

test('every setting has a one-sentence description', () => {
  const settings = Object.values(SETTINGS);
  expect(settings.length).toBeGreaterThan(10);
  for (const { sentence } of settings) expect(sentence).toMatch(/^[`A-Z0-9].*\.$/);
});

describe('an invalid setting is reported in one clear sentence', () => {
  const mistakes: [env: Environment, part: string][] = [
    [{ WAYBILL_HOST: 'a b' }, 'WAYBILL_HOST must be a host name'],
    [{ WAYBILL_PORT: '65536' }, 'WAYBILL_PORT must be a whole number from 0 to 65535.'],
    [{ WAYBILL_PORT: '80a' }, 'WAYBILL_PORT must be'],
    [{ WAYBILL_PORT: '-1' }, 'WAYBILL_PORT must be'],
    [{ DATABASE_URL: 'mysql://x', WAYBILL_MASTER_KEY: KEY }, 'DATABASE_URL must look like postgresql://'],
    [{ DATABASE_URL: 'postgres://x/y' }, 'WAYBILL_MASTER_KEY is required with DATABASE_URL'],
    [{ WAYBILL_MASTER_KEY: 'c2hvcnQ=' }, 'WAYBILL_MASTER_KEY must be exactly 32 bytes in base64.'],
    [{ WAYBILL_MASTER_KEY: `${KEY.slice(0, -2)}!=` }, 'WAYBILL_MASTER_KEY must be exactly'],
    [{ WAYBILL_ROLES: 'api,cook' }, 'WAYBILL_ROLES must be a list of api, deliver, plan, not "cook".'],
    [{ WAYBILL_ROLES: ',' }, 'WAYBILL_ROLES must be a list of api, deliver, plan, not an empty list.'],
    [{ WAYBILL_ENVIRONMENT: 'staging' }, 'WAYBILL_ENVIRONMENT must be live or test.'],
    [{ WAYBILL_DEMO: 'true' }, 'WAYBILL_DEMO must be on or off.'],
    [{ WAYBILL_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,10.1/16' }, 'not "10.1/16"'],
    [{ WAYBILL_WEBHOOK_ALLOW_CIDRS: '10.0.0.1' }, 'WAYBILL_WEBHOOK_ALLOW_CIDRS must list networks'],
    [{ WAYBILL_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/33' }, 'WAYBILL_WEBHOOK_ALLOW_CIDRS must list networks'],
    [{ WAYBILL_TRUSTED_PROXIES: 'proxy.internal' }, 'must list addresses or networks such as 127.0.0.1'],
    [{ WAYBILL_TRUSTED_PROXIES: '127.0.0.1, 10.1/16' }, 'not "10.1/16"'],
    [{ WAYBILL_TRUSTED_PROXIES: '10.0.0.0/33' }, 'not "10.0.0.0/33"'],
    [{ WAYBILL_TRUSTED_PROXIES: '::ffff:10.0.0.0/104' }, 'not "::ffff:10.0.0.0/104"'],
    [{ WAYBILL_TRUSTED_PROXIES: '0.0.0.0/0' }, 'every client could then claim any address'],
    [{ WAYBILL_TRUSTED_PROXIES: '10.0.0.1,::/0' }, 'WAYBILL_TRUSTED_PROXIES must not contain ::/0'],
    [{ WAYBILL_WEBHOOK_CA_FILE: '/nowhere/ca.pem' }, 'cannot be read (ENOENT)'],
    [{ WAYBILL_WEBHOOK_CA_FILE: import.meta.filename }, 'does not contain valid PEM certificates.'],
    [{ WAYBILL_SMTP_URL: 'mail.example.com' }, 'WAYBILL_SMTP_URL must look like'],
    [{ WAYBILL_MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }, 'WAYBILL_MAIL_FROM must look like'],
    [{ WAYBILL_OPERATOR_EMAIL: 'the operator' }, 'WAYBILL_OPERATOR_EMAIL must be'],
    [{ WAYBILL_PUBLIC_URL: 'waybill.example.com' }, 'WAYBILL_PUBLIC_URL must start'],
    [{ WAYBILL_ROUTING_URL: 'ftp://x' }, 'WAYBILL_ROUTING_URL must start with'],
    [{ WAYBILL_MAP_STYLE_URL: 'tiles.example/style.json' }, 'WAYBILL_MAP_STYLE_URL must start with'],
    [{ WAYBILL_MAP_STYLE_URL: 'https://me:secret@tiles.example/style.json' }, 'and contain no user name or password.'],
    [{ WAYBILL_METRICS_ADDRESS: '9464' }, 'WAYBILL_METRICS_ADDRESS must be a host and a port'],
    [{ WAYBILL_METRICS_ADDRESS: 'localhost:70000' }, 'WAYBILL_METRICS_ADDRESS must be a host and a port'],
    [{ WAYBILL_METRICS_TOKEN: 'short' }, 'WAYBILL_METRICS_TOKEN must be 16 to 256'],
    [{ WAYBILL_WORKERS: '0' }, 'WAYBILL_WORKERS must be a whole number from 1 to 64.'],
    [{ WAYBILL_WORKERS: '1.5' }, 'WAYBILL_WORKERS must be'],
    [{ WAYBILL_REQUEST_DEADLINE_MS: '99' }, 'WAYBILL_REQUEST_DEADLINE_MS must be'],
    [{ WAYBILL_KEEP_HISTORY_DAYS: '6' }, 'WAYBILL_KEEP_HISTORY_DAYS must be'],
    [{ WAYBILL_KEEP_UNFINISHED_DAYS: '0' }, 'WAYBILL_KEEP_UNFINISHED_DAYS must be'],
    [{ WAYBILL_KEEP_PERSONAL_DATA_DAYS: '-1' }, 'WAYBILL_KEEP_PERSONAL_DATA_DAYS must be'],
  ];
  test.each(mistakes)('%j', (env, part) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(part);
  });
});

test('several invalid settings are reported together', () => {
  expect(problemsOf({ WAYBILL_PORT: 'x', WAYBILL_DEMO: 'x', DATABASE_URL: 'postgres://a/b' })).toHaveLength(3);
});

test('no error message repeats a secret', () => {
  const secret = 'hunter2-hunter2';
  const secrets = Object.values(SETTINGS).filter(({ isSecret }) => isSecret);
  expect(secrets.length).toBeGreaterThan(3);
  const problems = problemsOf(Object.fromEntries(secrets.map(({ name }) => [name, `http://u:${secret}@h`])));
  expect(problems).toHaveLength(secrets.length);
  expect(problems.join(' ')).not.toContain(secret);
});

describe('a secret from a file', () => {
  const SECRET = 'hunter2-hunter2-hunter2';
  let count = 0;
  const write = async (content: string): Promise<string> => {
    const file = path.join(folder, `secret-${(count += 1)}`);
    await writeFile(file, content);
    return file;
  };

  test('every secret setting, and no other, has a variable for a file', () => {
    const settings = Object.values(SETTINGS);
    const expected = settings.map(({ name, isSecret }) => (isSecret ? `${name}_FILE` : null));
    expect(settings.map(({ fileVariable }) => fileVariable)).toEqual(expected);
    const variables = settings.flatMap(({ variables }) => variables);
    expect(variables).toContain('WAYBILL_MASTER_KEY_FILE');
    expect(new Set(variables).size).toBe(variables.length);
  });

  test('it is the same as the secret in the environment, without the newline at the end', async () => {
    const secrets = {
      DATABASE_URL: 'postgresql://u:p@db.example.com/waybill',
      WAYBILL_MASTER_KEY: KEY,
      WAYBILL_SMTP_URL: 'smtps://u:p@mail.example.com',
      WAYBILL_METRICS_TOKEN: SECRET,
    };
    const secretNames = Object.values(SETTINGS).flatMap(({ name, isSecret }) => (isSecret ? [name] : []));
    expect(Object.keys(secrets)).toEqual(secretNames);
    for (const end of ['', '\n', '\r\n']) {
      const files = Object.entries(secrets).map(async ([name, text]) => [`${name}_FILE`, await write(text + end)]);
      expect(read(Object.fromEntries(await Promise.all(files)))).toEqual(read(secrets));
    }
  });

  test('only one newline is removed, and no other character', async () => {
    for (const content of [`${SECRET}\n\n`, ` ${SECRET}`, `${SECRET} `, `${SECRET}\r`]) {
      expect(problemsOf({ WAYBILL_METRICS_TOKEN_FILE: await write(content) })).toHaveLength(1);
    }
  });

  test('a file that is missing, unreadable or empty is reported in one sentence', async () => {
    const empty = await write('\n');
    expect(problemsOf({ WAYBILL_SMTP_URL_FILE: '/nowhere/smtp' })).toEqual([
      'WAYBILL_SMTP_URL_FILE names /nowhere/smtp, which cannot be read (ENOENT).',
    ]);
    expect(problemsOf({ WAYBILL_SMTP_URL_FILE: folder })).toEqual([
      `WAYBILL_SMTP_URL_FILE names ${folder}, which cannot be read (EISDIR).`,
    ]);
    expect(problemsOf({ WAYBILL_SMTP_URL_FILE: empty })).toEqual([
      `WAYBILL_SMTP_URL_FILE names ${empty}, which is empty.`,
    ]);
  });

  test('a secret that is given in both ways is refused, even if it is the same', async () => {
    const file = await write(SECRET);
    expect(problemsOf({ WAYBILL_METRICS_TOKEN: SECRET, WAYBILL_METRICS_TOKEN_FILE: file })).toEqual([
      'WAYBILL_METRICS_TOKEN and WAYBILL_METRICS_TOKEN_FILE are both set. Set only one of them.',
    ]);
  });

  test('an invalid secret is reported with its file and without its content', async () => {
    const file = await write(`${SECRET}!`);
    const env = { WAYBILL_METRICS_TOKEN_FILE: file, WAYBILL_SMTP_URL_FILE: file, WAYBILL_MASTER_KEY_FILE: file };
    const problems = problemsOf(env);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain(`WAYBILL_MASTER_KEY, read from ${file}, must be exactly 32 bytes`);
    expect(problems.join(' ')).not.toContain(SECRET);
  });

  test('an external database needs a master key, also when its URL is in a file', async () => {
    const file = await write('postgres://x/y');
    const [problem, ...others] = problemsOf({ DATABASE_URL_FILE: file });
    expect(problem).toContain('WAYBILL_MASTER_KEY is required with DATABASE_URL');
    expect(others).toEqual([]);
    expect(problemsOf({ DATABASE_URL_FILE: file, WAYBILL_MASTER_KEY_FILE: await write(KEY) })).toEqual([]);
  });

  test('the same variable for a setting that is no secret is unknown', () => {
    expect(read({ WAYBILL_PORT_FILE: '/run/port' }).warnings).toEqual([
      'WAYBILL_PORT_FILE is not a known setting and is ignored.',
    ]);
  });
});

test('a misspelled setting is named in a warning', () => {
  const { warnings } = read({ WAYBILL_PROT: '80', WAYBILL_PORT: '80', PATH: '/bin' });
  expect(warnings).toEqual(['WAYBILL_PROT is not a known setting and is ignored.']);
});
