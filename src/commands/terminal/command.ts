// A command: its name, its options and arguments as a schema, and what it does. Invalid usage prints the usage line;
// refusals and failures print one sentence.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Config } from '../../settings/config.ts';
import type { Platform } from '../../platform.ts';
import type { LocalActor } from '../../store/people/audit-log.ts';
import type { Session } from './session.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonRecord = { [name: string]: Json };

export type Outcome =
  /** `text` is for people, `value` for `--json`. */
  | { kind: 'done'; value: JsonRecord; text: string }
  | { kind: 'failed'; message: string }
  /** The combination of options is invalid; the usage line is printed too. */
  | { kind: 'misused'; message: string }
  /** The command ran until it was stopped and printed everything itself. */
  | { kind: 'ended'; exitCode: number };

export interface CommandContext {
  config: Config;
  platform: Platform;
  /** The name in the audit log of the user who runs the command. */
  actor: LocalActor;
  /** Prints one line for people; never part of the result. */
  report(text: string): void;
  withSession(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
}

type ParsedCommand =
  | { kind: 'ready'; json: boolean; run(context: CommandContext): Promise<Outcome> }
  | { kind: 'help'; json: boolean }
  | { kind: 'misused'; json: boolean; message: string };

export interface Command {
  /** One word, or a noun and a verb. */
  name: string;
  /** The options and arguments, as shown in the usage line. */
  usage: string;
  summary: string;
  parse(args: readonly string[]): ParsedCommand;
}

interface Definition<Shape extends z.ZodRawShape> {
  name: string;
  usage: string;
  summary: string;
  input: Shape;
  /** Inputs that are given without a name, in order. */
  positionals?: readonly (keyof Shape & string)[];
  run(input: z.output<z.ZodObject<Shape>>, context: CommandContext): Promise<Outcome>;
}

/** An option without a value. */
export const flag = z.boolean().default(false);

export function defineCommand<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Command {
  const { name, usage, summary, positionals = [] } = definition;
  const schema = z.object(definition.input);
  const optionNames = Object.keys(definition.input).filter((key) => !positionals.includes(key));
  const flags = new Set(optionNames.filter((key) => definition.input[key] === flag).map(toKebab));
  const options = new Map(optionNames.map((key) => [toKebab(key), key]));
  return {
    name,
    usage,
    summary,
    parse(args) {
      const split = splitArguments(args, [...options.keys()], flags);
      const json = args.includes('--json');
      if (!split.ok) return { kind: 'misused', json, message: split.message };
      if (split.values['help'] === true) return { kind: 'help', json };
      const extra = split.positionals[positionals.length];
      if (extra !== undefined)
        return { kind: 'misused', json, message: `Unexpected argument ${JSON.stringify(extra)}.` };
      const given = Object.fromEntries([
        ...[...options].map(([option, key]) => [key, split.values[option]]),
        ...positionals.map((key, index) => [key, split.positionals[index]]),
      ]);
      const reading = schema.safeParse(given);
      if (!reading.success) {
        return { kind: 'misused', json, message: explain(reading.error, { given, positionals }) };
      }
      return { kind: 'ready', json, run: (context) => definition.run(reading.data, context) };
    },
  };
}

type Split = { ok: true; values: Record<string, unknown>; positionals: string[] } | { ok: false; message: string };

function splitArguments(args: readonly string[], names: readonly string[], flags: ReadonlySet<string>): Split {
  const type = (name: string) => (flags.has(name) ? ('boolean' as const) : ('string' as const));
  try {
    const parsed = parseArgs({
      args: joinNegativeNumbers(args),
      options: {
        ...Object.fromEntries(names.map((name) => [name, { type: type(name) }])),
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
    return { ok: true, values: { ...parsed.values }, positionals: parsed.positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { ok: false, message: shortenParserMessage(error.message) };
  }
}

function shortenParserMessage(message: string): string {
  const [, option] = /^Option '(?:-\w, )?(--[a-z-]+).*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
  if (option !== undefined) return `${option} needs a value.`;
  // Node adds advice about its own parser; only the first sentence describes the error.
  return `${message.split(/\.\s|\n/)[0]?.replace(/\.$/, '')}.`;
}

// The parser treats arguments that start with a dash as options, but half of all latitudes are negative.
function joinNegativeNumbers(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const argument of args) {
    const previous = joined.at(-1);
    const isValue = /^-[\d.]/.test(argument) && previous !== undefined && /^--[a-z][a-z-]*$/.test(previous);
    if (isValue) joined.splice(-1, 1, `${previous}=${argument}`);
    else joined.push(argument);
  }
  return joined;
}

function explain(
  error: z.ZodError,
  context: { given: Record<string, unknown>; positionals: readonly string[] },
): string {
  const [issue] = error.issues;
  const key = String(issue?.path[0] ?? '');
  const label = context.positionals.includes(key) ? `<${key}>` : `--${toKebab(key)}`;
  if (context.given[key] === undefined) return `${label} is required.`;
  return `${label} ${issue?.message ?? 'is invalid'}.`;
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
