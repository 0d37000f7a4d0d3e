// Each surface says its own sentences: no page shows a command, and the command line names no page.
import { expect, test } from 'vitest';
import { PAGE_SENTENCES } from '../http/panel/page-sentences.ts';
import { describeRefusal, REFUSALS, refuseWith, refuseValue, SHARED_CODES } from '../domain/refusals.ts';
import { COMMANDS } from './command-line.ts';
import { COMMAND_LINE_SENTENCES, failed } from './refusals.ts';

const SHARED = new Set<string>(SHARED_CODES);
const COMMAND_NAMES = COMMANDS.map(({ name }) => name).filter((name) => /[ -]/.test(name));
const PLACEHOLDERS = /\{\w+\}/g;

function namesCommand(text: string): boolean {
  return (
    /(?:^|\s)--[a-z]|npm run/.test(text) ||
    COMMAND_NAMES.some((name) => new RegExp(`(?::|\\brun) ${name}\\b`).test(text))
  );
}

function namesPage(text: string): boolean {
  return /→|\bSettings\b|\bpages?\b|\bpanel\b|\bbutton\b|\bclick\b/i.test(text);
}

const CATALOG = Object.entries(REFUSALS).filter(([code]) => !SHARED.has(code));

test('the catalog of refused changes names neither commands nor pages', () => {
  expect(CATALOG.length).toBeGreaterThan(20);
  for (const [code, { message }] of CATALOG)
    expect([code, namesCommand(message), namesPage(message)]).toEqual([code, false, false]);
});

test('no sentence of a page names a command', () => {
  const sentences = [...Object.values(REFUSALS).map(({ message }) => message), ...Object.values(PAGE_SENTENCES)];
  expect(sentences.filter(namesCommand)).toEqual([]);
});

test('no sentence of the command line names a page', () => {
  expect(Object.values(COMMAND_LINE_SENTENCES).filter(namesPage)).toEqual([]);
});

test('the guard recognizes a command and a page', () => {
  expect(namesCommand('Revoke it with: key revoke')).toBe(true);
  expect(namesCommand('Switch to it with --switch')).toBe(true);
  expect(namesPage('Register one under Settings → Integration')).toBe(true);
});

test('a surface fills only the facts that a refusal has', () => {
  const own = [...Object.entries(PAGE_SENTENCES), ...Object.entries(COMMAND_LINE_SENTENCES)];
  for (const [code, sentence] of own) {
    const [, entry] = Object.entries(REFUSALS).find(([name]) => name === code) ?? [];
    const known: readonly string[] = entry?.message.match(PLACEHOLDERS) ?? [];
    expect((sentence.match(PLACEHOLDERS) ?? []).filter((placeholder) => !known.includes(placeholder))).toEqual([]);
  }
});

test('facts and fields become sentences', () => {
  const kind = 'refused';
  const offDuty = refuseWith('COURIER_003', { name: 'Ada' });
  expect(describeRefusal(offDuty)).toBe('Ada is off duty');
  expect(failed({ kind, refusal: offDuty }).message).toMatch(/^Ada is off duty\. .*courier duty <courier> on$/);
  expect(failed({ kind, refusal: refuseWith('USER_001', { email: 'a@b.example' }) }).message).toBe(
    'a@b.example already has an account.',
  );
  const wrong = refuseValue({ field: 'phone', message: 'Must be 1 to 40 characters' });
  expect(failed({ kind, refusal: wrong }).message).toBe('The phone number must be 1 to 40 characters.');
});
