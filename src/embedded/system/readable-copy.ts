// A copy of the PostgreSQL programs that every user can reach. If root starts Waybill, the server runs as another user,
// who could not run programs of a project in a folder that only root may enter.
import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, EmbeddedPostgresError } from './failure.ts';

const CACHE_FOLDER = '/var/cache/waybill';
const OTHERS_MAY_ENTER = 0o001;
const OTHERS_MAY_WRITE = 0o022;

/** Returns the folder itself, or a copy of it if only root could enter it. */
export async function ensureReadableCopy(folder: string, cacheFolder = CACHE_FOLDER): Promise<string> {
  if (process.getuid?.() !== 0 || (await isOpen(folder))) return folder;
  const copy = path.join(cacheFolder, `postgres-${await nameContent(folder)}`);
  try {
    if (!(await isUsable(copy))) await makeCopy(folder, copy);
    return copy;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is in ${folder}, which only root can access, and cannot be copied to ${copy} ` +
        `(${describe(error)}). Start Waybill as an ordinary user, or move it to a folder that other users can access.`,
      { cause: error },
    );
  }
}

export async function isOpen(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & OTHERS_MAY_ENTER) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || isOpen(parent);
}

/** Each package version and each location gets its own copy. */
async function nameContent(folder: string): Promise<string> {
  const { mtimeMs, ino } = await stat(path.join(folder, 'bin', 'postgres'));
  return createHash('sha256').update(`${folder} ${mtimeMs} ${ino}`).digest('hex').slice(0, 16);
}

// Put in place by a rename, so a copy is always complete. It can be trusted because only root can have created it.
async function isUsable(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (found === undefined) return false;
  if (found.isDirectory() && found.uid === 0 && (found.mode & OTHERS_MAY_WRITE) === 0) return true;
  throw new Error('the path is in use by something else');
}

async function makeCopy(folder: string, copy: string): Promise<void> {
  await mkdir(path.dirname(copy), { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(`${copy}.`);
  try {
    await cp(folder, draft, { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process that started at the same time may have been first.
    if (!(await isUsable(copy))) throw error;
  }
}
