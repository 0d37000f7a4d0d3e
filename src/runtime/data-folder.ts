// The data folder holds the database, the master key and the demo's credentials, so only its owner may enter it.
import { chmod, mkdir, readdir, stat, type FileHandle } from 'node:fs/promises';

const OWNER_ONLY = 0o700;
const STICKY = 0o1000;
const OUR_FILES = new Set(['postgres', 'master.key', 'demo.json', 'waybill.log', 'roads']);

/**
 * Creates the folder closed to other users, or closes one that is open. Returns a warning when it has to stay open.
 */
export async function openDataFolder(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const { mode, uid } = await stat(folder);
  if ((mode & 0o777) === OWNER_ONLY) return undefined;
  if (!isRoot() && process.getuid?.() !== uid) {
    return `Other users can enter the data folder ${folder}, and only its owner (user ${uid}) can close it: chmod 700.`;
  }
  // Closing a folder such as /tmp or a home directory would break other programs. A strict umask takes rights from the
  // owner too, and then the folder cannot even be listed.
  const isOpen = (mode & 0o077) !== 0;
  if (isOpen && ((mode & STICKY) !== 0 || !(await isOurs(folder)))) {
    return `The data folder ${folder} is shared with other programs; set WAYBILL_DATA_DIR to a folder of its own.`;
  }
  await chmod(folder, OWNER_ONLY);
  return undefined;
}

async function isOurs(folder: string): Promise<boolean> {
  // The root folder of an ext4 volume is never quite empty.
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
export async function closeToOthers(file: string): Promise<void> {
  const { mode, uid } = await stat(file);
  if ((mode & 0o077) !== 0 && (isRoot() || process.getuid?.() === uid)) await chmod(file, mode & OWNER_ONLY);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
