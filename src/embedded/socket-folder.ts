// The server listens only on a Unix socket, in the database's folder, which other users cannot enter. Even if they
// could, the access rules would refuse their connections.
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgresError, hasCode } from './system/failure.ts';
import { nameUser } from './system/process-owner.ts';

/** The port names the socket's file; no TCP port is opened. */
export const SOCKET_PORT = 5432;

// The kernel's limit on the path of a Unix socket is 108 bytes with its final NUL.
const MAX_SOCKET_PATH_BYTES = 107;

export function chooseSocketFolder(dataDir: string): string {
  const candidates = [path.join(dataDir, 'postgres'), path.join(tmpdir(), shortName(dataDir))];
  return candidates.find(fits) ?? path.join('/tmp', shortName(dataDir));
}

/** The temporary folder depends on the environment, so a server started from another shell may use another one. */
export function isOurSocketFolder(folder: string, dataDir: string): boolean {
  const folders = [path.join(dataDir, 'postgres'), formerSocketFolder(dataDir)];
  return folders.includes(folder) || path.basename(folder) === shortName(dataDir);
}

/** Where servers of version 0.1 listen. */
function formerSocketFolder(dataDir: string): string {
  return path.join(dataDir, 'socket');
}

function shortName(dataDir: string): string {
  return `waybill-${createHash('sha256').update(dataDir).digest('hex').slice(0, 20)}`;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, socketFile())) <= MAX_SOCKET_PATH_BYTES;
}

function socketFile(): string {
  return `.s.PGSQL.${SOCKET_PORT}`;
}

export async function prepareSocketFolder(
  folder: string,
  { dataDir, owner }: { dataDir: string; owner: { uid: number; gid: number } },
): Promise<void> {
  // Left by a server that was killed. If the kernel has reused the pid in the lock, PostgreSQL would assume a running
  // server. The caller has already checked that no server runs.
  for (const place of [folder, formerSocketFolder(dataDir)]) {
    await rm(path.join(place, socketFile()), { force: true });
    await rm(path.join(place, `${socketFile()}.lock`), { force: true });
  }
  await rmdir(formerSocketFolder(dataDir)).catch(() => undefined);
  if (folder !== path.join(dataDir, 'postgres')) await makePrivateFolder(folder, owner);
}

async function makePrivateFolder(folder: string, owner: { uid: number; gid: number }): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  // Only a folder owned by root changes its owner: one just created, or left by a start killed before this line.
  const found = await lstat(folder);
  if (process.getuid?.() === 0 && found.uid === 0 && found.isDirectory()) await chown(folder, owner.uid, owner.gid);
  await refuseOpenFolder(folder, owner.uid);
}

// In a shared temporary folder, any user may have created the folder first, to impersonate the server.
export async function refuseOpenFolder(folder: string, uid: number): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  const mode = (found.mode & 0o777).toString(8);
  throw new EmbeddedPostgresError(
    `The folder ${folder} for PostgreSQL's socket must be a directory of user ${await nameUser(uid)} with mode 700, ` +
      `but it belongs to user ${await nameUser(found.uid)} and has mode ${mode}. Remove it and try again.`,
  );
}

export async function removeSocketFolder(folder: string, dataDir: string): Promise<void> {
  if (folder !== path.join(dataDir, 'postgres')) await rmdir(folder).catch(() => undefined);
}

/** Host and port are query parameters because these override the rest both in node-postgres and in libpq. */
export function buildUrl(socketFolder: string, database: string): string {
  const host = encodeURIComponent(socketFolder);
  return `postgresql://waybill@localhost/${database}?host=${host}&port=${SOCKET_PORT}&sslmode=disable`;
}
