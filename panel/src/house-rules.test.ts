// House rules for the panel: allowed imports, size limits, forbidden constructs.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const PANEL = import.meta.dirname;
const SRC = path.join(PANEL, '..', '..', 'src');
const FILES = readdirSync(PANEL, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const SOURCES = FILES.filter((file) => !file.endsWith('.test.ts'));

function read(file: string): string {
  return readFileSync(path.join(PANEL, file), 'utf8');
}

test('source files are found', () => {
  expect(SOURCES.length).toBeGreaterThan(60);
});

test('of the service, the panel imports only its contract and its domain', () => {
  const violations = FILES.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)]
      .map(([, target = '']) => path.resolve(PANEL, path.dirname(file), target))
      .filter((target) => !target.startsWith(PANEL + path.sep))
      .filter((target) => !['contract', 'domain'].includes(path.relative(SRC, target).split(path.sep)[0] ?? ''))
      .map((target) => `${file} -> ${path.relative(SRC, target)}`),
  );
  expect(violations).toEqual([]);
});

test('no file is longer than 300 lines, and no page longer than 400', () => {
  const long = SOURCES.filter((file) => read(file).split('\n').length - 1 > (file.endsWith('-page.tsx') ? 400 : 300));
  expect(long).toEqual([]);
});

test('no catch-all modules and no barrel files', () => {
  const drawers = FILES.filter((file) =>
    /(^|\/)(utils?|helpers?|common|types|interfaces|misc|enums?|index)\.tsx?$/.test(file),
  );
  expect(drawers).toEqual([]);
});

test('no raw markup is inserted into the page, and no inline style or script is needed', () => {
  const unsafe = SOURCES.filter((file) =>
    /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write|<style|<script|\beval\(|new Function/.test(
      read(file),
    ),
  );
  expect(unsafe).toEqual([]);
});

test('colors are named by their meaning', () => {
  const hex = SOURCES.filter((file) => file !== path.join('pages', 'account', 'qr-code.tsx')).filter((file) =>
    /#[0-9a-f]{3,8}\b['"`]|-\[#/i.test(read(file)),
  );
  expect(hex).toEqual([]);
});

test('links are built by paths.ts, never by hand', () => {
  const links = SOURCES.filter((file) => file.endsWith('.tsx') && file !== 'routes.tsx').filter((file) =>
    /<Link[^>]*\sto=/.test(read(file)),
  );
  expect(links).toEqual([]);
});

test('routes of the service are called by their declarations: no page types a path', () => {
  const path = /['"`]\/api\//;
  expect("fetch('/api/orders')").toMatch(path);
  expect(SOURCES.filter((file) => path.test(read(file)))).toEqual([]);
});

test('times, numbers and plurals are each formatted by one helper', () => {
  const homes = new Set([
    'ui/time/time-words.ts',
    'ui/time/zone.ts',
    'pages/courier/stops/distance.ts',
    'parts/orders/money.ts',
  ]);
  const byHand = SOURCES.filter((file) => !homes.has(file.replaceAll(path.sep, '/'))).filter((file) =>
    /\.toLocale\w*String\(|Intl\.(DateTime|Number)Format|PluralRules|\b(count|\w+s) === 1\s*\?\s*['"`]/.test(
      read(file),
    ),
  );
  expect(byHand).toEqual([]);
});
