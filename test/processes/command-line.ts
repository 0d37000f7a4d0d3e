// Runs commands in this process, with the same result as in a terminal.
import { runCommandLine } from '../../src/commands/command-line.ts';
import type { Environment } from '../../src/settings/setting.ts';

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

/** The single JSON document that the command printed; fails on any other output. */
export async function runJson(env: Environment, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(env, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}
