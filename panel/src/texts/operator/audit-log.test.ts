// Every audit action that the service writes has a text on the page.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { auditActionTexts } from './audit-log.ts';

const SOURCE = path.join(import.meta.dirname, '..', '..', '..', '..', 'src');

function listActions(): string[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const lines = files.flatMap((file) => readFileSync(path.join(SOURCE, file), 'utf8').split('\n'));
  const found = lines
    .filter((line) => /\baction:/.test(line))
    .flatMap((line) => [...line.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, action = '']) => action));
  return [...new Set(found)].toSorted();
}

test('every audit log action has a text, and no text is unused', () => {
  expect(listActions().length).toBeGreaterThan(40);
  expect(Object.keys(auditActionTexts).toSorted()).toEqual(listActions());
});
