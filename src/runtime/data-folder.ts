// The data folder contains the database, the master key and the demo's credentials, so only its owner may access it.
import { chmod, mkdir, readdir, stat, type FileHandle } from 'node:fs/promises';

const OWNER_ONLY = 0o700;
const STICKY = 0o1000;
const OUR_FILES = new Set(['postgres', 'master.key', 'demo.json', 'waybill.log', 'roads']);

/**
 * Creates the folder with access for its owner only, or restricts an existing one. Returns a warning if it can't.
 */
export async function openDataFolder(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const { mode, uid } = await stat(folder);
  if ((mode & 0o777) === OWNER_ONLY) return undefined;
  if (!isRoot() && process.getuid?.() !== uid) {
    return `Other users can access the data folder ${folder}. Its owner (user ${uid}) should run: chmod 700 ${folder}`;
  }
  // Restricting a folder such as /tmp or a home directory would break other programs. A strict umask also removes the
  // owner's own rights, and then the folder can't even be listed.
  const isOpen = (mode & 0o077) !== 0;
  if (isOpen && ((mode & STICKY) !== 0 || !(await isOurs(folder)))) {
    return `Other users can access the data folder ${folder}, which also contains files of other programs. Set WAYBILL_DATA_DIR to a separate folder.`;
  }
  await chmod(folder, OWNER_ONLY);
  return undefined;
}

async function isOurs(folder: string): Promise<boolean> {
  // The root folder of an ext4 volume is never completely empty.
  const names = (await readdir(folder)).filter((name) => name !== 'lost+found');
  return names.length === 0 || names.some((name) => OUR_FILES.has(name));
}

/** Makes a file that root creates in another user's data folder usable for that user. */
export async function giveToFolderOwner(file: FileHandle, folder: string): Promise<void> {
  if (!isRoot()) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await file.chown(uid, gid);
}

/** Closes a file with secrets to other users, for example after it was restored from a backup with a wider mode. */
export async function restrictToOwner(file: string): Promise<void> {
  const { mode, uid } = await stat(file);
  if ((mode & 0o077) !== 0 && (isRoot() || process.getuid?.() === uid)) await chmod(file, mode & OWNER_ONLY);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
