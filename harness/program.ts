// Starts a program in a separate process and waits for its one ready message.
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
  // Each program defines the shape of its ready message.
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Ready];
  failed.catch(() => undefined);
  return { child, ready };
}
