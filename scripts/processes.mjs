// Reads /proc: a pid together with its start time never comes back, a pid alone does.
import { readFile } from 'node:fs/promises';

/** Undefined for a process that has gone, or is a zombie. */
export async function findProcess(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name stands in parentheses and may itself hold spaces and parentheses.
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
