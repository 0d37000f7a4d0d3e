// Root starts the server as another user; for an ordinary user there is nothing to choose, and the other tests of the
// server run as that user.
import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import {
  clearAway,
  isRoot,
  makeDataDir,
  makeFolder,
  own,
  query,
  spawnService,
  start,
} from '../../../test/processes/embedded.ts';
import { findBinaries } from '../binaries.ts';
import { isOpen } from './readable-copy.ts';
import { SERVER_ENVIRONMENT, switchTo, type ServerOwner } from './process-owner.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const NOBODY = 65_534;
const [DAEMON, BIN] = [1, 2];

afterEach(() => clearAway({ keepPrepared: true }));
afterAll(() => clearAway({ keepPrepared: false }));

// If the project is in a folder that only root may enter, an ordinary user cannot run anything in it.
const isReachable = await isOpen(PROJECT);

async function readServerStatus(dataDir: string): Promise<string> {
  const pid = Number.parseInt(await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  return readFile(`/proc/${pid}/status`, 'utf8');
}

async function readServerUid(dataDir: string): Promise<number> {
  return Number(/^Uid:\s+(\d+)/m.exec(await readServerStatus(dataDir))?.[1]);
}

function changeOwners(folder: string, uid: number): Promise<unknown> {
  return promisify(execFile)('chown', ['-R', `${uid}:${uid}`, folder]);
}

/** Resolves to the server's answer or its error message. */
async function queryAs(uid: number, url: string): Promise<string> {
  const script = `
    import pg from 'pg';
    const client = new pg.Client({ connectionString: ${JSON.stringify(url)} });
    client.on('error', () => undefined);
    try {
      await client.connect();
      console.log((await client.query("select 'welcome' as answer")).rows[0].answer);
    } catch (error) {
      console.log(error.message);
    }
    process.exit();
  `;
  const options = { cwd: PROJECT, uid, gid: uid, env: SERVER_ENVIRONMENT };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  return stdout.trim();
}

describe.runIf(isRoot)('started by root', () => {
  test('a new server runs under a dedicated user id without capabilities, in a folder that only root can enter', async () => {
    const dataDir = path.join(await makeFolder(0o700), 'root’s data');
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1')).toEqual([1]);
    expect(await stat(dataDir)).toMatchObject({ uid: 0, mode: 0o40700 });
    const uid = await readServerUid(dataDir);
    expect([0, NOBODY, BIN, DAEMON]).not.toContain(uid);
    expect((await stat(path.join(dataDir, 'postgres', 'base'))).uid).toBe(uid);
    expect(await readServerStatus(dataDir)).toMatch(/^CapEff:\s+0+$/m);
    await server.stop();
  });

  test.runIf(isReachable)(
    'in another user’s data folder, the server runs as that user and both can use it',
    async () => {
      const user = await switchTo(DAEMON, DAEMON);
      const dataDir = await own(path.join(await makeFolder(), 'data'), user);
      const server = await start(dataDir);
      expect(await readServerUid(dataDir)).toBe(DAEMON);
      const owners = await Promise.all((await readdir(dataDir)).map((name) => stat(path.join(dataDir, name))));
      expect(new Set(owners.map(({ uid }) => uid))).toEqual(new Set([DAEMON]));

      const service = spawnService(dataDir, user);
      expect(await service.report).toMatchObject({ adopted: true });
      await service.kill();
      await server.stop();
      const again = spawnService(dataDir, user);
      expect(await again.report).toMatchObject({ adopted: false });
      expect(await start(dataDir)).toMatchObject({ adopted: true });
    },
  );

  test.runIf(isReachable)('another local user is rejected even if they can open the socket', async () => {
    const dataDir = await own(path.join(await makeFolder(), 'data'), await switchTo(DAEMON, DAEMON));
    const server = await start(dataDir);
    for (const folder of [dataDir, path.join(dataDir, 'postgres')]) await chmod(folder, 0o755);
    await chmod(path.join(dataDir, 'postgres', '.s.PGSQL.5432'), 0o777);
    expect(await queryAs(BIN, server.url)).toBe('Peer authentication failed for user "waybill"');
    expect(await queryAs(DAEMON, server.url)).toBe('welcome');
    await chmod(path.join(dataDir, 'postgres'), 0o700);
  });

  test('a server is found and adopted in a container where root cannot inspect other users’ processes', async () => {
    const contained: ServerOwner = {
      uid: 0,
      gid: 0,
      name: 'root',
      launch: (file, args) => ({
        file: 'setpriv',
        args: ['--bounding-set=-sys_ptrace', '--inh-caps=-all', '--', file, ...args],
        options: {},
      }),
    };
    const dataDir = await makeDataDir();
    const first = spawnService(dataDir, contained);
    expect(await first.report).toMatchObject({ adopted: false });
    await first.kill();
    expect(await spawnService(dataDir, contained).report).toMatchObject({ adopted: true });
  });

  test.runIf(isReachable)(
    'an ordinary user gets an error naming the owner of a data folder that root created',
    async () => {
      const dataDir = await makeDataDir();
      const service = spawnService(dataDir, await switchTo(DAEMON, DAEMON));
      const { refusal } = await service.report;
      expect(refusal).toMatch(
        /EmbeddedPostgresError: The data folder .* belongs to user root \(0\) and cannot be written/,
      );
    },
  );
});

describe.runIf(isRoot)('a database of version 0.1, whose server ran as nobody', () => {
  async function makeFormerDataDir(): Promise<string> {
    const dataDir = await makeDataDir();
    await writeFile(path.join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
    await mkdir(path.join(dataDir, 'socket'), { mode: 0o700 });
    for (const name of ['postgres', 'socket']) await changeOwners(path.join(dataDir, name), NOBODY);
    await chmod(dataDir, 0o711);
    return dataDir;
  }

  async function startFormerServer(dataDir: string): Promise<string> {
    const nobody = await switchTo(NOBODY, NOBODY);
    const cluster = path.join(dataDir, 'postgres');
    const socketFolder = path.join(dataDir, 'socket');
    const args = ['-D', cluster, '-k', socketFolder, '-c', 'listen_addresses='];
    const launch = nobody.launch((await findBinaries()).postgres, args);
    spawn(launch.file, launch.args, { ...launch.options, cwd: cluster, env: SERVER_ENVIRONMENT, stdio: 'ignore' });
    const url = `postgresql://waybill@localhost/waybill?host=${encodeURIComponent(socketFolder)}&port=5432`;
    await vi.waitFor(() => query(url, 'select 1'), { timeout: 10_000 });
    return url;
  }

  test('is moved to the new owner with all its data once the previous service has exited', async () => {
    const dataDir = await makeFormerDataDir();
    const url = await startFormerServer(dataDir);
    await query(url, 'create table kept as select 7 as value');
    const formerService = new Client({ connectionString: url });
    await formerService.connect();
    await expect(start(dataDir)).rejects.toThrow('An earlier version of Waybill is using the database');
    expect(await readServerUid(dataDir)).toBe(NOBODY);
    await formerService.end();
    await vi.waitFor(async () => {
      expect(
        await query(url, "select count(*)::int from pg_stat_activity where backend_type = 'client backend'"),
      ).toEqual([1]);
    });

    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await query(server.url, 'select value from kept')).toEqual([7]);
    expect(await query(server.url, 'select auth_method from pg_hba_file_rules')).toEqual(['peer']);
    expect([0, NOBODY]).not.toContain(await readServerUid(dataDir));
    const { stdout } = await promisify(execFile)('find', [dataDir, '-user', String(NOBODY)]);
    expect(stdout).toBe('');
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    await server.stop();
  });

  test('an ownership change that was killed is completed by the next start', async () => {
    const dataDir = await makeFormerDataDir();
    const cluster = path.join(dataDir, 'postgres');
    await chown(path.join(cluster, 'PG_VERSION'), 61_032, 61_032);
    await changeOwners(path.join(cluster, 'base'), 61_032);
    await (await start(dataDir)).stop();
    expect((await stat(cluster)).uid).not.toBe(NOBODY);
  });

  test('a data folder owned by nobody is rejected with a message that says how to continue', async () => {
    const dataDir = await makeFormerDataDir();
    await changeOwners(dataDir, NOBODY);
    await expect(start(dataDir)).rejects.toThrow(`run: chown root "${dataDir}"`);
    await chown(dataDir, 0, 0);
    await (await start(dataDir)).stop();
  });
});
