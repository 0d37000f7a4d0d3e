// Who may connect: the kernel tells the server which user is at the other end of the socket (peer authentication), and
// only root and the server's own user are allowed. Another local user is refused even if they can open the socket.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './system/failure.ts';
import { explain, findRootName, runInFolder, type ServerOwner } from './system/process-owner.ts';

const HEADER = '# Written by Waybill at every start. Changes are overwritten.\n';
const HBA = `${HEADER}local all all peer map=waybill\n`;

/** Returns whether they were different before; a running server then has to read them again. */
export async function writeAccessRules(cluster: string, owner: ServerOwner): Promise<boolean> {
  const files = { 'pg_hba.conf': HBA, 'pg_ident.conf': await listAllowedUsers(owner) };
  let isChanged = false;
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(path.join(cluster, name), 'utf8').catch(() => undefined)) === text) continue;
    isChanged = true;
    // As the server's user: in a folder of another user, root might write through a planted link.
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
