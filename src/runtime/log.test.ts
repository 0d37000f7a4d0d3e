import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog, openLog } from './log.ts';

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('when the log is closed, the file holds every line in order, one JSON object each', async () => {
  const file = path.join(await createFolder(), 'deep', 'waybill.log');
  const { log, close } = openLog(file);
  for (let index = 0; index < 5_000; index += 1) log.info({ event: 'test', index });
  await close();
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual(
    Array.from({ length: 5_000 }, (_, index) => index),
  );
});

test('a single line is written without waiting for others', async () => {
  const file = path.join(await createFolder(), 'waybill.log');
  const { log, close } = openLog(file);
  log.info({ event: 'alone' });
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('alone');
  await close();
});

test('a log that cannot be written does not end the process', async () => {
  const { log, close } = openLog('/dev/full');
  log.info({ event: 'lost' });
  await expect(close()).resolves.toBeUndefined();
});

test('a line has its level and time, and an error includes its stack', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log.info({ event: 'fine', left: undefined, none: null });
  log.warn({ event: 'odd', err: new TypeError('no "such" thing') });
  log.error({ event: 'bad' });
  const time: unknown = expect.any(Number);
  const stack: unknown = expect.stringContaining('log.test.ts');
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { level: 30, time, event: 'fine', none: null },
    { level: 40, time, event: 'odd', err: { type: 'TypeError', message: 'no "such" thing', stack } },
    { level: 50, time, event: 'bad' },
  ]);
});
