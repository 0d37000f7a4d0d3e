import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { clearAway, makeDataDir, makeFolder, own, query, spawnService, start } from '../../test/processes/embedded.ts';
import { findBinaries } from './binaries.ts';
import { WORKING_FOLDER } from './cluster.ts';
import { EmbeddedPostgresError } from './postgres.ts';
import { chooseServerOwner, runInFolder, SERVER_ENVIRONMENT } from './system/process-owner.ts';
import { findProcessStart } from './system/processes.ts';
import { withStartLock } from './start-lock.ts';

afterEach(() => clearAway({ keepPrepared: true }));
afterAll(() => clearAway({ keepPrepared: false }));

async function readPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

async function chooseOwner(folder: string) {
  return chooseServerOwner(folder, (await findBinaries()).postgres);
}

describe('starting and stopping', () => {
  test('a new folder with any path gets a durable database that keeps its data across a restart', async () => {
    const dataDir = path.join(await makeFolder(), 'my data, "quoted" é%20+');
    const first = await start(dataDir);
    expect(first.adopted).toBe(false);
    await query(first.url, 'create table kept as select 1 as value');
    const settings =
      "select string_agg(current_setting(name), ' ') from unnest(array['fsync', 'synchronous_commit', " +
      "'full_page_writes', 'data_checksums', 'server_encoding', 'timezone', 'max_connections']) name";
    expect(await query(first.url, settings)).toEqual(['on on on on UTF8 UTC 200']);
    expect(await query(first.url, "select current_setting('listen_addresses')")).toEqual(['']);
    expect(await query(first.url, 'select datcollate from pg_database where datname = current_database()')).toEqual([
      'C',
    ]);
    await first.stop();
    expect(await readdir(path.join(dataDir, 'postgres'))).not.toContain('postmaster.pid');

    const second = await start(dataDir);
    expect(second).toMatchObject({ adopted: false, url: first.url });
    expect(await query(second.url, 'select value from kept')).toEqual([1]);
    await second.stop();
  });

  test('stopping closes open sessions, and a second stop has no effect', async () => {
    const server = await start(await makeDataDir());
    const client = new Client({ connectionString: server.url });
    const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    await Promise.all([server.stop(), server.stop(), ended]);
    await expect(query(server.url, 'select 1')).rejects.toThrow('ENOENT');
  });

  test('two concurrent starts in a new folder give one server and one rejection', async () => {
    const dataDir = path.join(await makeFolder(), 'data');
    const outcomes = await Promise.allSettled([start(dataDir), start(dataDir)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(refused?.reason)).toContain('is starting in this data folder');
  });

  test('a path too long for a socket gets a short private folder, and one that others can enter is rejected', async () => {
    const dataDir = path.join(await makeFolder(), 'long'.repeat(30));
    const server = await start(dataDir);
    const folder = new URL(server.url).searchParams.get('host') ?? '';
    expect(folder).toMatch(/\/waybill-[0-9a-f]{20}$/);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await server.stop();
    await expect(stat(folder)).rejects.toThrow('ENOENT');

    await own(folder, await chooseOwner(dataDir));
    await chmod(folder, 0o755);
    await expect(start(dataDir)).rejects.toThrow(/must be a directory of user .* with mode 700/);
    await rm(folder, { recursive: true });
    await (await start(dataDir)).stop();
  });

  test('a stopping server leaves the socket folder to a server that starts at the same time', async () => {
    const dataDir = await makeDataDir();
    const server = await start(dataDir);
    const folder = new URL(server.url).searchParams.get('host') ?? '';
    await withStartLock(dataDir, () => server.stop());
    expect((await stat(folder)).isDirectory()).toBe(true);
  });
});

describe('after a kill -9', () => {
  test('of the whole service, the server keeps running and is adopted with all committed data', async () => {
    const dataDir = await makeDataDir();
    const service = spawnService(dataDir);
    const { url = '' } = await service.report;
    await query(url, 'create table kept as select 7 as value');
    const pid = await readPid(dataDir);
    await service.kill();

    const adopted = await start(dataDir);
    expect(adopted).toMatchObject({ adopted: true, url });
    expect(await readPid(dataDir)).toBe(pid);
    expect(await query(adopted.url, 'select value from kept')).toEqual([7]);
    await adopted.stop();
    expect(await findProcessStart(pid)).toBeUndefined();
  });

  test('of the server, the next start waits for its last session and recovers all committed data', async () => {
    const dataDir = await makeDataDir();
    const { url } = await start(dataDir);
    await query(url, 'create table kept as select 9 as value');
    const session = new Client({ connectionString: url });
    session.on('error', () => undefined);
    await session.connect();
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
    const orphan = rows[0]?.pid ?? Number.NaN;
    // A hanging session outlives its server and still holds the shared memory.
    process.kill(orphan, 'SIGSTOP');
    const pid = await readPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => findProcessStart(pid)).toBeUndefined();

    const again = await start(dataDir, (text) => {
      if (text.startsWith('Waiting')) process.kill(orphan, 'SIGCONT');
    });
    expect(again.adopted).toBe(false);
    expect(await findProcessStart(orphan)).toBeUndefined();
    expect(await query(again.url, 'select value from kept')).toEqual([9]);
    await again.stop();
  });

  test('during cluster creation, the next start creates the cluster from scratch', async () => {
    const dataDir = path.join(await makeFolder(), 'data');
    const service = spawnService(dataDir);
    await vi.waitFor(
      async () => {
        const unfinished = (await readdir(dataDir)).find((name) => name.startsWith('postgres.new-'));
        await stat(path.join(dataDir, unfinished ?? '', 'global', 'pg_control'));
      },
      { timeout: 20_000, interval: 5 },
    );
    await service.kill();
    expect(await readdir(dataDir)).not.toContain('postgres');

    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await query(server.url, 'select 1')).toEqual([1]);
    await server.stop();
  });

  test('a pid that the kernel has since reused is not treated as the server', async () => {
    const dataDir = await makeDataDir();
    const cluster = path.join(dataDir, 'postgres');
    const first = await start(dataDir);
    process.kill(await readPid(dataDir), 'SIGKILL');
    const { postgres } = await findBinaries();
    const owner = await chooseOwner(dataDir);
    const { file, args, options } = owner.launch('sleep', ['600']);
    const stranger = spawn(file, args, { ...options, stdio: 'ignore' });
    await once(stranger, 'spawn');
    try {
      const socketLock = path.join(new URL(first.url).searchParams.get('host') ?? '', '.s.PGSQL.5432.lock');
      for (const name of [path.join(cluster, 'postmaster.pid'), socketLock]) {
        await writeFile(name, (await readFile(name, 'utf8')).replace(/^\d+/, String(stranger.pid)));
      }
      await writeFile(path.join(dataDir, 'postgres.starting'), `${stranger.pid} 1\n`);

      const control = await runInFolder({ owner, cwd: cluster }, postgres, [
        '-D',
        WORKING_FOLDER,
        '-c',
        'listen_addresses=',
      ]);
      expect(control.stderr).toContain('lock file "postmaster.pid" already exists');

      const server = await start(dataDir);
      expect(server.adopted).toBe(false);
      await server.stop();
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('an empty pid file, as left by a power failure, does not prevent a start', async () => {
    const dataDir = await makeDataDir();
    await writeFile(path.join(dataDir, 'postgres', 'postmaster.pid'), '');
    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    await server.stop();
  });
});

describe('rejected', () => {
  test('a cluster used by another owner’s server is left alone until that server exits', async () => {
    const dataDir = await makeDataDir();
    const owner = await chooseOwner(dataDir);
    const elsewhere = await own(path.join(await makeFolder(), 'elsewhere'), owner);
    const foreignArgs = ['-D', path.join(dataDir, 'postgres'), '-k', elsewhere, '-c', 'listen_addresses='];
    const { file, args, options } = owner.launch((await findBinaries()).postgres, foreignArgs);
    const foreign = spawn(file, args, { ...options, cwd: '/', env: SERVER_ENVIRONMENT, stdio: 'ignore' });
    await vi.waitFor(() => stat(path.join(elsewhere, '.s.PGSQL.5432')), { timeout: 10_000 });

    await expect(start(dataDir)).rejects.toThrow(/in use by a PostgreSQL server that Waybill did not start/);
    expect(foreign.exitCode).toBeNull();

    foreign.kill('SIGINT');
    await once(foreign, 'exit');
    await (await start(dataDir)).stop();
  });

  test.each(['fsync = off', 'full_page_writes = off', 'synchronous_commit = local'])(
    'a setting that could lose an acknowledged order is rejected, and without it the server starts: %s',
    async (setting) => {
      const dataDir = await makeDataDir();
      const file = path.join(dataDir, 'postgres', 'postgresql.auto.conf');
      const before = await readFile(file);
      await appendFile(file, `${setting}\n`);
      await expect(start(dataDir)).rejects.toThrow(`has ${setting}`);
      expect(await readdir(path.join(dataDir, 'postgres'))).not.toContain('postmaster.pid');

      await writeFile(file, before);
      await (await start(dataDir)).stop();
    },
  );

  test('a role without durable commits is rejected', async () => {
    const dataDir = await makeDataDir();
    const server = await start(dataDir);
    await query(server.url, 'alter role waybill set synchronous_commit = off');
    await server.stop();
    await expect(start(dataDir)).rejects.toThrow('has synchronous_commit = off');
  });

  test('a folder with other content is not modified', async () => {
    const dataDir = await makeFolder();
    const owner = await chooseOwner(dataDir);
    const cluster = await own(path.join(dataDir, 'postgres'), owner);
    await writeFile(path.join(cluster, 'photo.jpg'), '');
    await expect(start(dataDir)).rejects.toThrow('contains no PostgreSQL data');
    expect(await readdir(cluster)).toEqual(['photo.jpg']);
  });

  test('a cluster of another PostgreSQL version is rejected before it is modified', async () => {
    const dataDir = await makeDataDir();
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '15\n');
    await expect(start(dataDir)).rejects.toThrow('was created by PostgreSQL 15');
  });

  test('the reason for a failed start is reported in one sentence', async () => {
    const dataDir = await makeDataDir();
    await rm(path.join(dataDir, 'postgres', 'global', 'pg_control'));
    await expect(start(dataDir)).rejects.toThrow(
      /did not start: .*could not open file .*pg_control.*\. See .*postgres\.log/,
    );
  });
});
