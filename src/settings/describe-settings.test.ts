import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { describeSettings } from './describe-settings.ts';
import { SETTINGS } from './settings.ts';

const GIVEN = {
  DATABASE_URL: 'postgresql://waybill:canary-one@db.example/waybill',
  WAYBILL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  WAYBILL_SMTP_URL: 'smtp://mailer:canary-two@mail.example:587',
  WAYBILL_ROUTING_URL: 'https://user:canary-three@roads.example/osrm?key=canary-four',
  WAYBILL_MAP_STYLE_URL: 'https://tiles.example/style.json?key=canary-five',
  WAYBILL_WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16,fd00::/8',
  WAYBILL_TRUSTED_PROXIES: '127.0.0.1,::1',
  WAYBILL_METRICS_ADDRESS: '[::1]:9464',
  WAYBILL_METRICS_TOKEN: 'canary-six-0123456789',
};

function describeFor(env: Record<string, string>) {
  const reading = readConfig(env);
  if (!reading.ok) throw new Error(reading.problems.join(' '));
  return describeSettings(reading.config);
}

test('every setting is documented and declares how it may be displayed', () => {
  const described = describeFor({});
  expect(described.map(({ name }) => name)).toEqual(Object.values(SETTINGS).map(({ name }) => name));
  const secrets = described.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  expect(secrets).toEqual(['DATABASE_URL', 'WAYBILL_MASTER_KEY', 'WAYBILL_SMTP_URL', 'WAYBILL_METRICS_TOKEN']);
  for (const { name, value, defaultText } of described) {
    if (defaultText !== null && name !== 'WAYBILL_DATA_DIR') expect([name, value]).toEqual([name, defaultText]);
  }
});

test('only settings with a value are set; a master key is generated', () => {
  const unset = describeFor({}).filter(({ isSet }) => !isSet);
  const withoutValue = Object.values(SETTINGS).filter(({ defaultText }) => defaultText === null);
  const derived = new Set(['WAYBILL_MASTER_KEY', 'WAYBILL_PUBLIC_URL', 'WAYBILL_MAIL_FROM']);
  expect(unset.map(({ name }) => name)).toEqual(
    withoutValue.map(({ name }) => name).filter((name) => !derived.has(name)),
  );
  expect(unset.filter(({ value }) => value !== null)).toEqual([]);
});

test('secrets show the variable for a file', () => {
  const files = describeFor({}).flatMap(({ fileVariable }) => fileVariable ?? []);
  expect(files).toEqual([
    'DATABASE_URL_FILE',
    'WAYBILL_MASTER_KEY_FILE',
    'WAYBILL_SMTP_URL_FILE',
    'WAYBILL_METRICS_TOKEN_FILE',
  ]);
});

test('secrets are never shown, in any position', () => {
  const described = describeFor(GIVEN);
  const text = JSON.stringify(described);
  expect(text).not.toContain('canary');
  expect(text).not.toContain(GIVEN.WAYBILL_MASTER_KEY.slice(0, 12));
  const valueOf = (name: string) => described.find((setting) => setting.name === name)?.value;
  expect(valueOf('WAYBILL_ROUTING_URL')).toBe('https://roads.example/osrm');
  expect(valueOf('WAYBILL_MAP_STYLE_URL')).toBe('https://tiles.example/style.json');
  expect(valueOf('WAYBILL_TRUSTED_PROXIES')).toBe('127.0.0.1, ::1');
  expect(valueOf('WAYBILL_WEBHOOK_ALLOW_CIDRS')).toBe('10.1.0.0/16, fd00::/8');
  expect(valueOf('WAYBILL_METRICS_ADDRESS')).toBe('[::1]:9464');
  expect(described.find(({ name }) => name === 'DATABASE_URL')).toMatchObject({ isSet: true, value: null });
});
