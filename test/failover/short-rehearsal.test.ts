// The short form of `npm run failover`: each kind of event once where it is affordable, and all controls. Runs alone,
// after all other tests, because it needs the whole machine.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeMissing, listMissingPackages } from '../../failover/cluster/packages.ts';
import { KIND_KEYS, KINDS } from '../../failover/kinds.ts';
import type { Report } from '../../failover/report/report.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'failover', 'main.ts');
/** It takes four minutes on two cores. */
const LIMIT_MS = 900_000;

const missing = listMissingPackages();
const reason = missing.length === 0 ? undefined : describeMissing(missing);

describe.skipIf(reason !== undefined)(`a replicated installation${reason ? ` (skipped: ${reason})` : ''}`, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waybill-short-rehearsal-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('loses nothing in any kind of event, and each control is caught', { timeout: LIMIT_MS }, async () => {
    const page = path.join(folder, 'report.html');
    const run = await promisify(execFile)(process.execPath, [MAIN, '--short', '--report', page]).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    expect(run, `${run.stdout}\n${run.stderr}`).not.toBeInstanceOf(Error);
    const report = JSON.parse(await readFile(page.replace('.html', '.json'), 'utf8')) as Report;
    const short = KIND_KEYS.filter((key) => KINDS[key].isShort);
    const seen = [...report.kinds, ...report.skipped].map(({ key }) => key);
    expect(seen.toSorted()).toEqual(short.toSorted());
    expect(report.volume.placed).toBeGreaterThan(1_000);
    expect(report.controls.filter(({ isCaught }) => !isCaught)).toEqual([]);
    expect(await readFile(page, 'utf8')).toContain('Every check holds.');
  });
});
