// Renders results for people in a terminal.
import type { Json, JsonRecord, Outcome } from './command.ts';

/** The headline, then one line per field of the result. */
export function done(headline: string, value: JsonRecord): Outcome {
  return { kind: 'done', value, text: [headline, ...renderFields(value)].join('\n') };
}

/** Free-form lines, for results that fields cannot express. */
export function doneLines(lines: readonly string[], value: JsonRecord): Outcome {
  return { kind: 'done', value, text: lines.map(inert).join('\n') };
}

/** A list: one line per entry, in columns. */
export function doneList(name: string, entries: readonly JsonRecord[]): Outcome {
  return { kind: 'done', value: { [name]: [...entries] }, text: renderTable(entries) };
}

function renderFields(value: JsonRecord): string[] {
  const names = Object.keys(value);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(width)}  ${show(value[name])}`);
}

function renderTable(entries: readonly JsonRecord[]): string {
  const [first] = entries;
  if (first === undefined) return 'None.';
  const names = Object.keys(first);
  const lines = [names, ...entries.map((entry) => names.map((name) => show(entry[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function show(value: Json | undefined): string {
  if (value === undefined || value === null) return '-';
  if (typeof value === 'object') return inert(JSON.stringify(value));
  return inert(String(value));
}

/** Text from outside may contain escape codes, which a terminal would execute. */
function inert(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}
