// A program of the run in a process of its own, which says one thing when it is ready.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Program<Ready> {
  child: ChildProcess;
  ready: Ready;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startProgram<Ready>(file: string, env: Record<string, string>): Promise<Program<Ready>> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it was ready`);
  });
  // The shape is the program's own.
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Ready];
  failed.catch(() => undefined);
  return { child, ready };
}
