// Runs the command line. Exit codes: 0 success, 1 refused or failed, 2 invalid usage.
import { userInfo } from 'node:os';
import { readConfig } from '../settings/config.ts';
import type { Environment } from '../settings/setting.ts';
import { createDatabaseClock } from '../runtime/database-clock.ts';
import { EmbeddedPostgresError } from '../embedded/postgres.ts';
import { MasterKeyError } from '../secrets/master-key.ts';
import { howToRun } from '../how-to-run.ts';
import { createPlatform } from '../platform.ts';
import { BackupError } from '../store/backup/format.ts';
import { DatabaseUnavailable } from '../store/database/database.ts';
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import { masterKeyCommands } from './master-key.ts';
import type { Command, CommandContext, JsonRecord, Outcome } from './terminal/command.ts';
import { courierCommands } from './courier.ts';
import { credentialCommands } from './credential.ts';
import { deliveryCommands } from './delivery.ts';
import { diagnoseCommands } from './diagnose.ts';
import { orderCommands } from './order.ts';
import { restaurantCommands } from './restaurant.ts';
import { revokeCommands } from './revoke.ts';
import { roadsCommands } from './roads.ts';
import { withSession } from './terminal/session.ts';
import { supportCommands } from './support.ts';
import { systemCommands } from './system.ts';
import { userCommands } from './user.ts';
import { webhookCommands } from './webhook.ts';

export const COMMANDS: readonly Command[] = [
  ...systemCommands,
  ...restaurantCommands,
  ...credentialCommands,
  ...webhookCommands,
  ...courierCommands,
  ...roadsCommands,
  ...userCommands,
  ...orderCommands,
  ...deliveryCommands,
  ...supportCommands,
  ...auditCommands,
  ...backupCommands,
  ...revokeCommands,
  ...masterKeyCommands,
  ...diagnoseCommands,
];

export interface Terminal {
  env: Environment;
  out(text: string): void;
  error(text: string): void;
}

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const json = args.includes('--json');
  const words = args.filter((word) => word !== '--json' && word !== '--help' && word !== '-h');
  const command = COMMANDS.find(({ name }) => startsWith(words, name.split(' ')));
  if (command === undefined) return answerUnknown(args, words, terminal);
  // Options may come before the words of the command's name, so the words are removed wherever they are.
  const parsed = command.parse(without(args, command.name.split(' ')));
  if (parsed.kind === 'help') return printUsage(command, { json, terminal });
  if (parsed.kind === 'misused') return complain(terminal, { json, message: parsed.message, command });

  const reading = readConfig(terminal.env);
  if (!reading.ok) return fail(terminal, json, reading.problems.join('\n'));
  const { config } = reading;
  // With --json, a program reads stderr too: it is empty, or contains exactly the error.
  const report = (text: string) => (json ? undefined : terminal.error(text));
  // The service reports its warnings itself.
  if (command.name !== 'serve') config.warnings.forEach(report);
  const platform = createPlatform(undefined, createDatabaseClock());
  const base = { config, platform, actor: { name: nameUser() }, report };
  const context: CommandContext = { ...base, withSession: (work) => withSession(base, work) };
  try {
    return printOutcome(await parsed.run(context), { json, terminal, command });
  } catch (error) {
    return fail(terminal, json, describeError(error));
  }
}

interface Output {
  json: boolean;
  terminal: Terminal;
}

function printOutcome(outcome: Outcome, output: Output & { command: Command }): number {
  const { json, terminal, command } = output;
  if (outcome.kind === 'ended') return outcome.exitCode;
  if (outcome.kind === 'failed') return fail(terminal, json, outcome.message);
  if (outcome.kind === 'misused') return complain(terminal, { json, message: outcome.message, command });
  terminal.out(json ? toJsonText(outcome.value) : outcome.text);
  return DONE;
}

function fail(terminal: Terminal, json: boolean, message: string): number {
  terminal.error(json ? toJsonText({ error: message }) : message);
  return FAILED;
}

function complain(terminal: Terminal, mistake: { json: boolean; message: string; command: Command }): number {
  const { json, message, command } = mistake;
  const usage = usageOf(command);
  terminal.error(json ? toJsonText({ error: message, usage }) : `${message}\nUsage: ${usage}`);
  return MISUSED;
}

function answerUnknown(args: readonly string[], words: readonly string[], terminal: Terminal): number {
  const json = args.includes('--json');
  const isHelp = words[0] === 'help' || (words.length === 0 && args.some((word) => word === '--help' || word === '-h'));
  if (!isHelp) {
    const message = words.length === 0 ? 'No command given.' : `Unknown command ${JSON.stringify(words.join(' '))}.`;
    terminal.error(json ? toJsonText({ error: message }) : `${message}\nSee: ${howToRun('help')}`);
    return MISUSED;
  }
  const topic = COMMANDS.find(({ name }) => startsWith(words.slice(1), name.split(' ')));
  if (topic !== undefined) return printUsage(topic, { json, terminal });
  const commands = COMMANDS.map((command) => ({ usage: usageOf(command), summary: command.summary }));
  const list = commands.map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n');
  terminal.out(json ? toJsonText({ commands }) : `Usage: ${howToRun('<command>')} [--json]\n\n${list}`);
  return DONE;
}

function printUsage(command: Command, { json, terminal }: Output): number {
  const usage = usageOf(command);
  const { summary } = command;
  terminal.out(json ? toJsonText({ usage, summary }) : `Usage: ${usage}\n${summary}`);
  return DONE;
}

function usageOf(command: Command): string {
  return `${command.name} ${command.usage}`.trim();
}

function startsWith(words: readonly string[], name: readonly string[]): boolean {
  return name.every((word, index) => words[index] === word);
}

function without(args: readonly string[], name: readonly string[]): string[] {
  const rest = [...args];
  for (const word of name) rest.splice(rest.indexOf(word), 1);
  return rest;
}

// Escapes more than JSON requires, because terminals interpret these characters as escape codes.
function toJsonText(value: JsonRecord): string {
  const escape = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(/[\u007F-\u009F]/g, escape);
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForPeople =
    error instanceof EmbeddedPostgresError || error instanceof MasterKeyError || error instanceof BackupError;
  if (isForPeople) return error.message;
  if (error instanceof DatabaseUnavailable) return `The database is unavailable: ${error.message}`;
  // Some network errors have a code but no message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message || code;
}

function nameUser(): string {
  try {
    return `command line (${userInfo().username})`;
  } catch {
    // A container's user may have no account.
    return 'command line';
  }
}
