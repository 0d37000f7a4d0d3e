import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { clearAway, makeDataDir, query, spawnService, start } from '../../test/processes/embedded.ts';

afterEach(() => clearAway({ keepPrepared: true }));
afterAll(() => clearAway({ keepPrepared: false }));

const METHODS = 'select auth_method from pg_hba_file_rules';

test('a server allows only peer authentication for one role, replacing any earlier rules', async () => {
  const dataDir = await makeDataDir();
  await writeFile(path.join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
  const server = await start(dataDir);
  expect(await query(server.url, METHODS)).toEqual(['peer']);
  await query(server.url, 'create role other superuser login');
  await expect(query(server.url.replace('waybill@', 'other@'), 'select 1')).rejects.toThrow(
    'Peer authentication failed for user "other"',
  );
  await server.stop();
});

test('adopting a running server that trusts every connection replaces its rules', async () => {
  const dataDir = await makeDataDir();
  const service = spawnService(dataDir);
  const { url = '' } = await service.report;
  await writeFile(path.join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
  await query(url, 'create role other superuser login');
  await query(url, 'select pg_reload_conf()');
  await expect.poll(() => query(url.replace('waybill@', 'other@'), 'select 1').catch(() => [])).toEqual([1]);
  await service.kill();

  const server = await start(dataDir);
  expect(server.adopted).toBe(true);
  await expect
    .poll(() => query(url.replace('waybill@', 'other@'), 'select 1').catch(String))
    .toContain('Peer authentication failed');
  await server.stop();
});
