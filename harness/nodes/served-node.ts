// `serve` of any version as a process, with its log.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from './compile-cache.ts';

export interface ServedNode {
  address: string;
  /** Log lines at error level. */
  errors: string[];
  /** SIGTERM by default. Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when the process has ended for any reason. */
  ended: Promise<unknown>;
}

const WARNING_LEVEL = 40;
const ERROR_LEVEL = 50;
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Rejects with the program's output if it exits before it is ready. Warnings and errors are added to the log file. */
export async function serveFrom(main: string, settings: Record<string, string>, logFile?: string): Promise<ServedNode> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  const errors: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const { level } = JSON.parse(line) as { level: number };
    if (level >= ERROR_LEVEL) errors.push(line);
    if (level >= WARNING_LEVEL && logFile !== undefined) appendFileSync(logFile, `${line}\n`);
  });
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, ready] = /Waybill is ready at (\S+)/.exec(said) ?? [];
      if (ready !== undefined) resolve(ready);
    });
    void exited.then(() => reject(new Error(said)));
  });
  return {
    address,
    errors,
    ended: exited,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await exited;
    },
  };
}

/** Runs one command of that version and returns its answer. */
export async function commandOf(
  main: string,
  settings: Record<string, string>,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, '--json'], {
    env: environmentOf(settings),
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

// Without the cache, each start spends most of its time compiling.
function environmentOf(settings: Record<string, string>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
}
