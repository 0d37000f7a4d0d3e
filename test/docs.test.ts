import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../src/settings/settings.ts';
import { exampleError } from '../src/contract/integrator/answer-examples.ts';
import * as answers from '../src/contract/integrator/answer-examples.ts';
import { openApiDocument } from '../src/contract/integrator/openapi.ts';
import { FULL_ORDER, SCRIPTED_ORDER } from '../src/contract/integrator/orders/examples.ts';
import { ISSUE_CODES } from '../src/contract/integrator/orders/issues.ts';
import { REFUSAL_STATUS } from '../src/contract/refusal-status.ts';
import { CANCEL_REASONS } from '../src/domain/orders/cancellation.ts';
import { STATES, TRANSITIONS } from '../src/domain/orders/order.ts';
import { describeRefusal, REFUSALS, SHARED_CODES, type RefusalCode, type SharedCode } from '../src/domain/refusals.ts';
import { nextAttemptAt } from '../src/domain/webhooks/retry.ts';
import { isUpdating, readDoc, readSection } from './docs/section.ts';
import { fieldRows, fieldTable } from './docs/field-table.ts';
import { placesIn } from './hostile/fields.ts';

const CODES = Object.keys(REFUSALS).filter((code): code is RefusalCode => code in REFUSALS);

const FACTS = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  restaurantId: 'R-1',
  seconds: 12,
  hours: 24,
  bytes: 190_000,
  held: 60,
};

function exampleOf(code: RefusalCode): object {
  const isShared = (one: RefusalCode): one is SharedCode => SHARED_CODES.some((shared) => shared === one);
  if (isShared(code)) return exampleError(code);
  const { requestId } = exampleError('PANEL_002');
  const message = describeRefusal({ code, facts: FACTS });
  expect(message).not.toMatch(/undefined|[{}]/);
  return { error: REFUSALS[code].error, message, code, requestId };
}

test('docs/openapi.json matches the code; regenerate with npm run waybill -- openapi', () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  if (isUpdating()) writeFileSync(new URL('../docs/openapi.json', import.meta.url), text);
  expect(JSON.parse(readDoc('docs/openapi.json'))).toEqual(JSON.parse(text));
});

describe('docs/errors.md', () => {
  const sections = readDoc('docs/errors.md').split('\n## ').slice(1);

  test('has exactly one section for each refusal', () => {
    expect(sections.map((section) => section.split('\n')[0])).toEqual(CODES);
  });

  test.each(CODES)('%s: says the status, the title, when it happens, what to do, and shows a true example', (code) => {
    const section = sections.find((text) => text.startsWith(`${code}\n`)) ?? '';
    expect(section).toContain(`**${REFUSAL_STATUS[code]} ${REFUSALS[code].error}**`);
    expect(section).toMatch(/\*\*When:\*\* .{10,}/);
    expect(section).toMatch(/\*\*What to do:\*\* .{10,}/);
    expect(JSON.parse(/```json\n(.*?)```/s.exec(section)?.[1] ?? '{}')).toEqual(exampleOf(code));
  });
});

test.each(Object.values(SETTINGS))('docs/operating.md shows $name with its default and its description', (setting) => {
  const shown = setting.defaultText === null ? '' : `\`${setting.defaultText}\``;
  const variables = setting.variables.map((variable) => `\`${variable}\``).join(' or ');
  expect(readDoc('docs/operating.md')).toContain(`| ${variables} | ${shown} | ${setting.sentence} |`);
});

describe('docs/integrating.md', () => {
  test('lists every field as in the schema; regenerate with UPDATE_DOCS=1 npx vitest run test/docs.test.ts', () => {
    const wanted = fieldTable();
    expect(readSection('docs/integrating.md', 'fields', wanted)).toBe(wanted);
  });

  test('the full example contains every documented field', () => {
    const full = { ...FULL_ORDER, test: SCRIPTED_ORDER.test };
    const shown = new Set(placesIn(full, []).map(({ path }) => pattern(path)));
    const missing = fieldRows().filter(({ path }) => !shown.has(path));
    // Only one of the seven reasons may name who cancels.
    expect(missing.map(({ path }) => path)).toEqual(['test.cancel.by']);
  });

  test('shows the real answers and the script as it is', () => {
    const blocks = jsonBlocks('docs/integrating.md');
    expect(blocks).toContainEqual(answers.ORDER_ANSWER);
    expect(blocks).toContainEqual(SCRIPTED_ORDER);
    expect(blocks).toContainEqual({ ...answers.DRY_RUN_ANSWER, issues: [] });
  });

  test('lists every state with its possible next states, and every issue', () => {
    const text = readDoc('docs/integrating.md');
    for (const state of STATES) {
      const next = Object.values(TRANSITIONS)
        .filter(({ from }) => from.some((candidate) => candidate === state))
        .map(({ to }) => to);
      const row = new RegExp(`^\\| \`${state}\` \\|[^|]*\\|(.*)\\|$`, 'm').exec(text)?.[1] ?? 'no row';
      expect([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual([...new Set(next)].sort());
    }
    for (const code of ISSUE_CODES) expect(text).toContain(`| \`${code}\` |`);
  });
});

describe('docs/webhooks.md', () => {
  test('shows both request bodies exactly as they are sent', () => {
    const text = readDoc('docs/webhooks.md');
    expect(text).toContain(`\n${JSON.stringify(answers.STATUS_WEBHOOK)}\n`);
    expect(text).toContain(`\n${JSON.stringify(answers.CANCEL_WEBHOOK)}\n`);
  });

  test('lists every cancel reason with its actor', () => {
    const text = readDoc('docs/webhooks.md');
    for (const [id, { by, meaning }] of Object.entries(CANCEL_REASONS)) {
      expect(text).toContain(`| \`${id}\` | ${by.join(' or ')} | ${meaning} |`);
    }
  });

  test('lists the retry waits used by the code', () => {
    const units = { minute: 60_000, minutes: 60_000, hour: 3_600_000, hours: 3_600_000 };
    const rows = [...readDoc('docs/webhooks.md').matchAll(/^\| (\d)(?: and later)? \| (\d+) (minutes?|hours?) \|$/gm)];
    const shown = rows.map(([, , count, unit]) => Number(count) * (units[unit as keyof typeof units] ?? 0));
    expect(shown).toEqual([1, 2, 3, 4, 5, 6].map((failures) => nextAttemptAt(failures, 0)));
    expect(nextAttemptAt(7, 0)).toBe(shown.at(-1));
  });
});

const LINKING_PAGES = [
  'errors',
  'integrating',
  'webhooks',
  'installing',
  'operating',
  'commands',
  'security',
  'backups',
  'upgrading',
  'monitoring',
  'high-availability',
  'privacy',
].map((name) => `docs/${name}.md`);

test.each(LINKING_PAGES)('every link in %s has a target', (file) => {
  const links = [...readDoc(file).matchAll(/\]\(((?!https?:)[^)]+)\)/g)].map(([, link]) => link ?? '');
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    const [path = '', anchor] = link.split('#');
    const text = readDoc(path === '' ? file : `docs/${path}`);
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => slug(title));
    expect(anchor === undefined ? link : [...anchors, 'not found'].find((name) => name === anchor)).toBe(
      anchor ?? link,
    );
  }
});

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function jsonBlocks(file: string): unknown[] {
  return [...readDoc(file).matchAll(/```json\n(.*?)```/gs)].map(([, text = '']): unknown => JSON.parse(text));
}

function pattern(path: (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? '[]' : `.${part}`))
    .join('')
    .slice(1);
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions.md'])('every path that %s names exists', (file) => {
  const text = readDoc(file);
  const folder = file.includes('/') ? 'docs/' : '';
  const named = [...text.matchAll(/`((?:src|panel|test|harness|bench|chaos|city|migrations|docs)\/[\w./-]+)`/g)];
  const linked = [...text.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)].map(([, link = '']) => `${folder}${link}`);
  const paths = [...named.map(([, name = '']) => name), ...linked].filter((name) => !name.includes('NNNN'));
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((name) => !existsSync(new URL(`../${name}`, import.meta.url)))).toEqual([]);
});

test('ARCHITECTURE.md follows one order through every layer', () => {
  const journey = readDoc('ARCHITECTURE.md').split("\n## One order's journey\n")[1]?.split('\n## ')[0] ?? '';
  const layers = [...journey.matchAll(/`src\/(\w+)\//g)].map(([, layer]) => layer);
  expect([...new Set(layers)].toSorted()).toEqual(['actions', 'contract', 'domain', 'http', 'store', 'webhooks']);
});
