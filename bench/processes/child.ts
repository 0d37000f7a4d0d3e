// Starts the processes of a bench and sends them commands.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Commands, Question, Reply } from './messages.ts';

export interface Child<Known extends Commands> {
  pid: number;
  ask<Name extends keyof Known & string>(
    command: Name,
    ...argument: Parameters<Known[Name]>
  ): Promise<Awaited<ReturnType<Known[Name]>>>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** Where to write a CPU profile when the process ends. */
  profileFolder?: string | undefined;
}

/** No command takes longer than this unless something hangs. */
const ANSWER_LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 15_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function startChild<Known extends Commands>(file: string, options: ChildOptions = {}): Child<Known> {
  const { profileFolder } = options;
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    // The same Node options for the service and its baselines.
    execArgv: [...process.execArgv, ...profiling],
    // Unlike JSON, this preserves Infinity, maps and typed arrays.
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  child.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) asked?.reject(new Error(`${file}: ${reply.error}`));
    else asked?.resolve(reply.value);
  });
  child.once('exit', (code, signal) => {
    for (const asked of waiting.values()) asked.reject(new Error(`${file} ended early (${signal ?? code})`));
    waiting.clear();
  });
  return {
    pid: child.pid ?? 0,
    async ask(command, ...[argument]) {
      lastId += 1;
      const question: Question = { id: lastId, command, argument };
      const answer = new Promise<unknown>((resolve, reject) => {
        if (!child.connected) return reject(new Error(`${file} is gone`));
        waiting.set(question.id, { resolve, reject });
        child.send(question);
      });
      return (await inTime(answer, `${file} did not answer ${command}`)) as never;
    },
    stop: () => stop(child),
  };
}

async function inTime<Value>(work: Promise<Value>, complaint: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${complaint} within ${ANSWER_LIMIT_MS / 1000} s`)), ANSWER_LIMIT_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closing the channel makes the process write its profile and exit; if it does not exit, it is killed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
