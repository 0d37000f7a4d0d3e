// The operating pages describe exactly the settings and commands that the code has.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTINGS } from '../settings/settings.ts';
import { COMMANDS } from './command-line.ts';

const PAGES = ['installing', 'operating', 'commands', 'security', 'backups', 'upgrading', 'monitoring'];

function readPage(name: string): string {
  return readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
}

/** The cells of the table with this header line. */
function readTable(page: string, head: string): string[][] {
  const [, rest = ''] = readPage(page).split(`\n${head}\n`);
  const [text = ''] = rest.split('\n\n');
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(1).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

function unquote(cell: string | undefined): string {
  return cell?.replace(/^`(.*)`$/, '$1') ?? '';
}

test('the table of settings is complete and correct', () => {
  const documented = readTable('operating', '| setting | default | meaning |').map(([name, defaultText, sentence]) => ({
    variables: name,
    defaultText: unquote(defaultText) || null,
    sentence,
  }));
  expect(documented).toEqual(
    Object.values(SETTINGS).map(({ variables, defaultText, sentence }) => ({
      variables: variables.map((variable) => `\`${variable}\``).join(' or '),
      defaultText,
      sentence,
    })),
  );
});

test('the table of commands is complete and correct', () => {
  const documented = readTable('commands', '| command | what it does |').map(([command, summary]) => ({
    command: unquote(command),
    summary,
  }));
  expect(documented).toEqual(
    COMMANDS.map(({ name, usage, summary }) => ({ command: `${name} ${usage}`.trim(), summary })),
  );
});

test('every command in an example exists and supports the options shown', () => {
  const examples = [
    ...PAGES.map(readPage)
      .join('\n')
      .matchAll(/(?:npm run waybill --|npx waybill) ([^\n`<]+)/g),
  ].map((match) => match[1] ?? '');
  expect(examples.length).toBeGreaterThan(5);
  const mistaken = examples.filter((example) => {
    const words = example.split(/\s+#/)[0]?.match(/"[^"]*"|\S+/g) ?? [];
    const command = COMMANDS.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
    const parsed = command?.parse(words.slice(command.name.split(' ').length));
    return words[0] !== 'help' && parsed?.kind !== 'ready';
  });
  expect(mistaken).toEqual([]);
});
