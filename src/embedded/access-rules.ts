// Who may connect: only root and the server's own user. The kernel reports the user at the other end of the socket
// (peer authentication), so another local user is refused even if they can open the socket.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './system/failure.ts';
import { explain, findRootName, runInFolder, type ServerOwner } from './system/process-owner.ts';

const HEADER = '# Written by Waybill at every start. Changes are overwritten.\n';
const HBA = `${HEADER}local all all peer map=waybill\n`;

/** Returns whether the rules changed; if so, a running server has to reload them. */
export async function writeAccessRules(cluster: string, owner: ServerOwner): Promise<boolean> {
  const files = { 'pg_hba.conf': HBA, 'pg_ident.conf': await listAllowedUsers(owner) };
  let isChanged = false;
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(path.join(cluster, name), 'utf8').catch(() => undefined)) === text) continue;
    isChanged = true;
    // Written as the server's user: in another user's folder, root might write through a planted symlink.
    const script = 'umask 077 && printf %s "$2" >"$1.new" && mv -f "$1.new" "$1"';
    const outcome = await runInFolder({ owner, cwd: cluster }, '/bin/sh', ['-c', script, 'sh', name, text]);
    if (outcome.ok) continue;
    throw new EmbeddedPostgresError(`Cannot write ${path.join(cluster, name)}: ${explain(outcome)}.`);
  }
  return isChanged;
}

async function listAllowedUsers(owner: ServerOwner): Promise<string> {
  const names = new Set([await findRootName(), ...(owner.name === undefined ? [] : [owner.name])]);
  return HEADER + [...names].map((name) => `waybill "${name.replaceAll('"', '""')}" waybill\n`).join('');
}
