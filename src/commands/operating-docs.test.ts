// docs/operating.md tells about settings and commands what the code does, no more and no less.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTINGS } from '../config.ts';
import { COMMANDS } from './command-line.ts';

const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');

/** The cells of the one table of a section. */
function readTable(section: string): string[][] {
  const [, rest = ''] = page.split(`\n## ${section}\n`);
  const [text = ''] = rest.split('\n## ');
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

function unquote(cell: string | undefined): string {
  return cell?.replace(/^`(.*)`$/, '$1') ?? '';
}

test('the table of settings is complete and true', () => {
  const told = readTable('Settings').map(([name, defaultText, sentence]) => ({
    name: unquote(name),
    defaultText: unquote(defaultText) || null,
    sentence,
  }));
  expect(told).toEqual(SETTINGS);
});

test('the table of commands is complete and true', () => {
  const told = readTable('Commands').map(([command, summary]) => ({ command: unquote(command), summary }));
  expect(told).toEqual(COMMANDS.map(({ name, usage, summary }) => ({ command: `${name} ${usage}`.trim(), summary })));
});

test('every command in an example exists and has the options it is given', () => {
  const examples = [...page.matchAll(/npm run waybill -- ([^\n`<]+)/g)].map((match) => match[1] ?? '');
  expect(examples.length).toBeGreaterThan(5);
  const mistaken = examples.filter((example) => {
    const words = example.split(/\s+#/)[0]?.match(/"[^"]*"|\S+/g) ?? [];
    const command = COMMANDS.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
    const parsed = command?.parse(words.slice(command.name.split(' ').length));
    return words[0] !== 'help' && parsed?.kind !== 'ready';
  });
  expect(mistaken).toEqual([]);
});
