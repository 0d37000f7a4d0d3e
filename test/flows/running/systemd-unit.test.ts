// The systemd unit, judged by systemd's own tool. Skipped where it is not installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const UNIT = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'waybill.service');
const ANALYZER = '/usr/bin/systemd-analyze';
const MAX_EXPOSURE = 2.5;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-unit-'));
});
afterEach(() => rm(folder, { recursive: true }));

function measureExposure(unit: string): number {
  const report = execFileSync(ANALYZER, ['security', '--offline=true', '--no-pager', unit], { encoding: 'utf8' });
  return Number(/Overall exposure level for \S+: (\d+\.\d)/.exec(report)?.[1]);
}

describe.runIf(existsSync(ANALYZER))('deploy/waybill.service', () => {
  test('its exposure is at most 2.5', async () => {
    const open = path.join(folder, 'waybill.service');
    await writeFile(open, (await readFile(UNIT, 'utf8')).replace('SystemCallFilter=@system-service\n', ''));
    expect(measureExposure(UNIT)).toBeLessThanOrEqual(MAX_EXPOSURE);
    expect(measureExposure(open)).toBeGreaterThan(measureExposure(UNIT));
  });

  test('systemd understands every line', async () => {
    const unit = path.join(folder, 'waybill.service');
    const text = await readFile(UNIT, 'utf8');
    // It also reports the units of this machine that ours names.
    const verify = () =>
      spawnSync(ANALYZER, ['verify', '--man=no', unit], { encoding: 'utf8' })
        .stderr.split('\n')
        .filter((line) => line.includes('waybill.service'));
    // The tool also checks that the program exists, which is not installed here.
    const runnable = text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
    await writeFile(unit, runnable);
    expect(verify()).toEqual([]);
    await writeFile(unit, runnable.replace('ProtectHome=yes', 'ProtectHomes=yes'));
    expect(verify()).toEqual([expect.stringContaining('ProtectHomes')]);
  });
});
