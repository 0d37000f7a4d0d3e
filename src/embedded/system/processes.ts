// Reads /proc. A pid alone does not identify a process, because the kernel reuses pids. A pid together with its start
// time or its working directory does.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { hasCode } from './failure.ts';
import { runAs, type ServerOwner } from './process-owner.ts';

interface ProcessState {
  isZombie: boolean;
  /** In clock ticks since boot: differs for every process that ever had the same pid. */
  startedAtTicks: string;
}

/** Undefined if there is no such process. A zombie counts as gone: in a container it may never be reaped. */
export async function findProcessStart(pid: number): Promise<string | undefined> {
  const state = await readState(pid);
  return state === undefined || state.isZombie ? undefined : state.startedAtTicks;
}

/**
 * PostgreSQL processes whose working directory is this folder. Each of them enters its data folder first, so this also
 * finds a server that has not written its pid file yet, and the orphans of one that was killed.
 */
export async function listServerProcesses(folder: string, owner: ServerOwner): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  const closed: string[] = [];
  for (const pid of pids) {
    const place = await findServerFolder(pid);
    if (place === folder) found.push(Number(pid));
    if (place === 'closed') closed.push(pid);
  }
  return closed.length === 0 ? found : [...found, ...(await askOwner(closed, folder, owner))];
}

async function findServerFolder(pid: string): Promise<string | undefined> {
  try {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8');
    if (name.trim() !== 'postgres' || (await findProcessStart(Number(pid))) === undefined) return undefined;
    return await readlink(`/proc/${pid}/cwd`);
  } catch (error) {
    return hasCode(error, 'EACCES', 'EPERM') ? 'closed' : undefined;
  }
}

// Root in a container may not be allowed to inspect another user's processes, not even those of the server's user. That
// user itself is allowed to.
async function askOwner(pids: string[], folder: string, owner: ServerOwner): Promise<number[]> {
  const script = 'f=$1; shift; for p do [ "$(readlink "/proc/$p/cwd")" = "$f" ] && echo "$p"; done; true';
  const { stdout } = await runAs(owner, '/bin/sh', ['-c', script, 'sh', folder, ...pids]);
  return stdout.split('\n').filter(Boolean).map(Number);
}

async function readState(pid: number): Promise<ProcessState | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may itself contain spaces and parentheses: count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { isZombie: fields[0] === 'Z' || fields[0] === 'X', startedAtTicks: fields[19] ?? '' };
}
