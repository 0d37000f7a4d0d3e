// Runs commands in this process, as a terminal would.
import { runCommandLine } from '../../src/commands/command-line.ts';
import type { Environment } from '../../src/config.ts';

export interface CommandRun {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runCommand(env: Environment, args: readonly string[]): Promise<CommandRun> {
  const run: CommandRun = { code: 0, stdout: '', stderr: '' };
  run.code = await runCommandLine(args, {
    env,
    out: (text) => (run.stdout += `${text}\n`),
    error: (text) => (run.stderr += `${text}\n`),
  });
  return run;
}

/** The one JSON document that the command answered with; anything else is a failure. */
export async function runJson(env: Environment, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(env, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}
