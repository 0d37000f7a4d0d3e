import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clearAway, makeFolder } from '../../test/processes/embedded.ts';
import { completeLinks } from './binaries.ts';

afterEach(() => clearAway({ keepPrepared: false }));

test('missing links are created when npm skipped install scripts', async () => {
  const folder = await makeFolder();
  const lib = path.join(folder, 'native', 'lib');
  await mkdir(lib, { recursive: true });
  await writeFile(path.join(lib, 'libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  await writeFile(path.join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  await completeLinks(folder);
  await completeLinks(folder);
  expect((await lstat(path.join(lib, 'libx.so.1'))).isSymbolicLink()).toBe(true);
  expect(await realpath(path.join(lib, 'libx.so.1'))).toBe(await realpath(path.join(lib, 'libx.so.1.2')));
});
