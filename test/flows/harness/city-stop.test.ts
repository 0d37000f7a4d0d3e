// `npm run city`, stopped in the middle of a day.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const CITY = path.join(import.meta.dirname, '..', '..', '..', 'city', 'main.ts');

test('a second stop signal leaves no server and no folder behind and prints no error', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-city-stop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { ...process.env, TMPDIR: folder };
  const city = spawn(process.execPath, [CITY, '--orders', '5', '--hours', '1'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void city.kill('SIGKILL'));
  let said = '';
  let complained = '';
  city.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  city.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
  await expect.poll(() => said, { timeout: 60_000 }).toContain('webhooks');
  expect(await readdir(folder)).toHaveLength(1);
  const ended = once(city, 'exit');
  city.kill('SIGTERM');
  await expect.poll(() => said).toContain('Stopping');
  city.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  expect(complained).toBe('');
  expect(await readdir(folder)).toEqual([]);
}, 90_000);
