// Reads /proc. The kernel reuses pids, but a pid together with its start time is unique.
import { readFile } from 'node:fs/promises';

/** Undefined for a process that has exited or is a zombie. */
export async function findProcess(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name is in parentheses and may itself contain spaces and parentheses.
  const nameEnd = text.lastIndexOf(')');
  const [state, parent, ...fields] = text.slice(nameEnd + 2).split(' ');
  if (nameEnd < 0 || state === 'Z') return undefined;
  return {
    pid: Number(pid),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    parent: Number(parent),
    start: fields[17],
  };
}

export async function isStillThere({ pid, start }) {
  return (await findProcess(pid))?.start === start;
}
