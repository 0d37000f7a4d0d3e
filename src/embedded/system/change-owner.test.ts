import { chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changeOwner } from './change-owner.ts';

test.runIf(process.getuid?.() === 0)(
  'only files of the previous owner change owner, and symbolic links are not followed',
  async () => {
    const base = await mkdtemp(path.join(tmpdir(), 'waybill-owner-'));
    onTestFinished(() => rm(base, { recursive: true }));
    const folder = path.join(base, 'folder');
    await mkdir(path.join(folder, 'inner'), { recursive: true });
    for (const name of ['outside', 'folder/inner/own', 'folder/foreign']) await writeFile(path.join(base, name), '');
    await symlink(path.join(base, 'outside'), path.join(folder, 'link'));
    for (const name of ['outside', 'folder', 'folder/inner', 'folder/inner/own']) {
      await chown(path.join(base, name), 2, 2);
    }
    await changeOwner(folder, 2, { uid: 3, gid: 3 });
    const owners = ['folder', 'folder/inner', 'folder/inner/own', 'folder/foreign', 'outside'].map(
      async (name) => (await stat(path.join(base, name))).uid,
    );
    expect(await Promise.all(owners)).toEqual([3, 3, 3, 0, 2]);
  },
);
