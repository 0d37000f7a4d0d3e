// When root started version 0.1, it ran the server as `nobody`. The first start of a newer version gives that database
// to the new owner. The same applies to one that root copied into its own data folder, for example from a backup.
import { stat } from 'node:fs/promises';
import { changeOwner } from './system/change-owner.ts';
import { EmbeddedPostgresError } from './system/failure.ts';
import { isToBeReplaced, nameUser, switchTo, type ServerOwner } from './system/process-owner.ts';
import { findRunningServer } from './running-server.ts';
import { countOtherSessions } from './server-connection.ts';
import { stopServer } from './stop-server.ts';

interface Site {
  dataDir: string;
  cluster: string;
  log: string;
  owner: ServerOwner;
}

export async function replaceFormerOwner(site: Site, onProgress: (text: string) => void): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const found = await stat(site.cluster).catch(() => undefined);
  if (found === undefined || !isToBeReplaced(found.uid)) return;
  // In another user's data folder, files owned by root might be links to root's files elsewhere.
  if (found.uid === 0 && (await stat(site.dataDir)).uid !== 0) return;
  await stopFormerServer({ ...site, owner: await switchTo(found.uid, found.gid) }, onProgress);
  onProgress(`Changing the owner of ${site.cluster} to user ${await nameUser(site.owner.uid)}`);
  await changeOwner(site.cluster, found.uid, site.owner);
}

async function stopFormerServer(site: Site, onProgress: (text: string) => void): Promise<void> {
  const running = await findRunningServer({ ...site, onProgress });
  if (running === undefined) return;
  if ((await countOtherSessions(running.socketFolder)) > 0) {
    throw new EmbeddedPostgresError(
      `An earlier version of Waybill is using the database in ${site.cluster}. Stop it and try again.`,
    );
  }
  await stopServer(site, running.pid);
}
