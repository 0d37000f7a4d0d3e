// Root gives the server away to another user; for anybody else there is nothing to choose, and the tests of the server
// itself run as that user.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  clearAway,
  isRoot,
  makeDataDir,
  makeFolder,
  own,
  query,
  spawnService,
  start,
} from '../../test/helpers/embedded.ts';
import { isOpen } from './open-copy.ts';
import { chooseServerOwner, type ServerOwner } from './process-owner.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

afterEach(() => clearAway({ keepPrepared: true }));
afterAll(() => clearAway({ keepPrepared: false }));

// From a project in a folder of root's own, an ordinary user cannot run anything at all.
const isReachable = await isOpen(PROJECT);

describe.runIf(isRoot)('when we are root', () => {
  test('root can start it in a folder that is closed to everyone else', async () => {
    const closed = await makeFolder(0o700);
    const server = await start(path.join(closed, 'data'));
    expect(await query(server.url, 'select 1')).toEqual([1]);
    expect((await stat(path.join(closed, 'data', 'postgres'))).uid).not.toBe(0);
    await server.stop();
  });

  test.runIf(isReachable)('an ordinary user can start it, and root is then told whose it is', async () => {
    const ordinary = await chooseServerOwner(PROJECT, process.execPath);
    const daemon = { ...ordinary, uid: 1, gid: 1 };
    const user = {
      ...daemon,
      launch: (file: string, args: string[]) => {
        const launch = ordinary.launch(file, args);
        const changed = launch.args.map((arg) => arg.replace(/^--re([ug])id=\d+$/, '--re$1id=1'));
        return { ...launch, args: changed, options: 'uid' in launch.options ? { uid: 1, gid: 1 } : {} };
      },
    };
    const dataDir = await own(path.join(await makeFolder(), 'data'), user);
    const service = spawnService(dataDir, user);
    expect(await service.report).toMatchObject({ adopted: false });
    expect((await stat(path.join(dataDir, 'postgres'))).uid).toBe(1);
    await service.kill();

    await expect(start(dataDir)).rejects.toThrow(/belongs to user daemon \(1\) because Waybill was first started by/);
  });

  test('as in a container, where root may not look into the processes of others, its server is found and adopted', async () => {
    const contained: ServerOwner = {
      uid: 0,
      gid: 0,
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

  test.runIf(isReachable)('an ordinary user is told whose the data folder is when root made it', async () => {
    const dataDir = await makeDataDir();
    const service = spawnService(dataDir, await chooseServerOwner(PROJECT, process.execPath));
    const { refusal } = await service.report;
    expect(refusal).toMatch(
      /EmbeddedPostgresError: The data folder .* belongs to user root \(0\) and cannot be written/,
    );
  });
});
