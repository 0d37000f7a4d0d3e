// The settings of a service that a test or a program starts: the defaults, apart from what would reach outside of it.
import { readConfig, type Config } from '../../src/settings/config.ts';

const APART: Record<string, string> = {
  WAYBILL_PORT: '0',
  // Does not exist: roads that a developer imported into ./data must not change plans.
  WAYBILL_DATA_DIR: '/nowhere/waybill',
  // The receivers run on this machine.
  WAYBILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
};

export function testConfig(overrides: Partial<Config> = {}): Config {
  const reading = readConfig(APART);
  if (!reading.ok) throw new Error(reading.problems.join(' '));
  return { ...reading.config, ...overrides };
}
