// Messages between the bench's processes: one question, one answer, over Node's child process channel.

/** The questions that a process answers; each takes one argument. */
export type Commands = Record<string, (argument: never) => unknown>;

export interface Question {
  id: number;
  command: string;
  argument: unknown;
}

export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** Answers the parent's questions until the parent disconnects. */
export function answerParent(commands: Commands): void {
  // A terminal sends Ctrl-C to every process; only the parent handles it.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (question: Question) => void answer(commands, question));
}

async function answer(commands: Commands, { id, command, argument }: Question): Promise<void> {
  const handler = commands[command] as ((argument: unknown) => unknown) | undefined;
  let reply: Reply;
  try {
    if (handler === undefined) throw new Error(`unknown command ${command}`);
    reply = { id, value: await handler(argument) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  if (process.connected) process.send?.(reply);
}
