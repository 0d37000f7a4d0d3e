// Which user the servers of the cluster run as. PostgreSQL refuses to run as root.
import { execFileSync } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';

export interface Owner {
  uid: number;
  gid: number;
}

const ACCOUNT = 'postgres';

export function findOwner(): Owner {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) throw new Error('npm run failover needs Linux');
  if (uid !== 0) return { uid, gid };
  // Debian's package adds this account.
  const [accountUid = 0, accountGid = 0] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, ACCOUNT], { encoding: 'utf8' })),
  );
  return { uid: accountUid, gid: accountGid };
}

/** A folder that only this user may read, as PostgreSQL demands. */
export async function makeOwnFolder(folder: string, { uid, gid }: Owner): Promise<string> {
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, uid, gid);
  return folder;
}
