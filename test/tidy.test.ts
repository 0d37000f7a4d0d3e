// The house rules as tests: who may import whom, what is banned where, how long things may be.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');

function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes('node_modules'));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

const ALL_SOURCES = listFiles('src', /\.ts$/);
const SOURCES = ALL_SOURCES.filter((file) => !file.endsWith('.test.ts'));

/** Comments and texts do not count as code. */
function codeOf(file: string): string {
  return read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

// A room is a folder of src, or a file directly in it.
function roomOf(file: string): string {
  const [, first = ''] = file.split(path.sep);
  return first.replace(/\.ts$/, '');
}

const WORLD = ['platform', 'vault'];
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  platform: ['domain'],
  vault: [],
  config: ['setting-values'],
  contract: ['domain'],
  store: ['domain', ...WORLD],
  actions: ['domain', 'store', 'passwords', ...WORLD],
  webhooks: ['domain', 'store', ...WORLD],
  accounts: ['domain', 'store', 'passwords', ...WORLD],
  mail: ['domain', 'store', 'actions', 'supervisor', ...WORLD],
  planning: ['domain', 'store', 'actions', 'locked-package', ...WORLD],
  embedded: ['data-folder', 'platform', 'locked-package'],
  http: ['contract', 'domain', 'actions', 'accounts', 'store', ...WORLD],
  robots: ['data-folder', 'domain', 'contract', 'actions', 'store', 'supervisor', 'app', ...WORLD],
};

/** Rooms whose interfaces a room implements. It may import their types and nothing that runs. */
const MAY_IMPORT_TYPES_OF: Record<string, readonly string[]> = {
  webhooks: ['actions'],
};

function listImports(file: string): { target: string; isTypeOnly: boolean }[] {
  return [...read(file).matchAll(/(import type\s[^;]*?from|from|import)\s+'(\.[^']+)'/g)].map(
    ([, keyword = '', target = '']) => ({
      target: path.relative(ROOT, path.resolve(ROOT, path.dirname(file), target)),
      isTypeOnly: keyword.startsWith('import type'),
    }),
  );
}

test('there is something to look at', () => {
  expect(SOURCES.length).toBeGreaterThan(50);
  expect(SOURCES.flatMap(listImports).length).toBeGreaterThan(200);
});

test('imports point inward: each room uses only the rooms it may', () => {
  const trespasses = SOURCES.flatMap((file) => {
    const allowed = MAY_IMPORT[roomOf(file)];
    if (allowed === undefined) return [];
    const implemented = MAY_IMPORT_TYPES_OF[roomOf(file)] ?? [];
    return listImports(file)
      .filter(({ target, isTypeOnly }) => {
        const room = roomOf(target);
        return room !== roomOf(file) && !allowed.includes(room) && !(isTypeOnly && implemented.includes(room));
      })
      .map(({ target }) => `${file} -> ${target}`);
  });
  expect(trespasses).toEqual([]);
});

test('nothing in the domain reaches outside the language', () => {
  const outside = SOURCES.filter((file) => roomOf(file) === 'domain').flatMap((file) =>
    [...read(file).matchAll(/from '([^.'][^']*)'/g)].map((match) => `${file} -> ${match[1]}`),
  );
  expect(outside).toEqual([]);
});

const BANNED: { call: RegExp; instead: string; except: readonly string[] }[] = [
  { call: /\bDate\.now\(/, instead: 'clock.now()', except: ['src/platform.ts'] },
  { call: /\bnew Date\(\)/, instead: 'clock.now()', except: [] },
  { call: /\bMath\.random\(/, instead: 'platform.randomBytes', except: [] },
  { call: /\brandomUUID\(/, instead: 'platform.newId()', except: [] },
  { call: /\bprocess\.env\b/, instead: 'config.ts', except: ['src/config.ts'] },
  { call: /\bconsole\.\w+\(/, instead: 'the log', except: [] },
  // Webhooks go to addresses that strangers name. The routing service is the operator's own.
  { call: /\bfetch\(/, instead: 'webhooks/sender.ts', except: ['src/planning/travel/osrm.ts'] },
  { call: /\bdns\.lookup\(/, instead: 'webhooks/resolve.ts', except: [] },
];

for (const { call, instead, except } of BANNED) {
  test(`${call.source} is not called: use ${instead}`, () => {
    const files = SOURCES.filter((file) => !except.includes(file) && call.test(codeOf(file)));
    expect(files).toEqual([]);
  });
}

test('SQL is written in the store alone', () => {
  const sql = /`\s*(select \w|insert into \w|update \w+ set|delete from \w|with \w+ as)/;
  const files = SOURCES.filter((file) => !['store', 'embedded'].includes(roomOf(file)) && sql.test(codeOf(file)));
  expect(files).toEqual([]);
});

// One order's content once stopped planning for everybody, because SQL cast what JSON spells in many ways.
test('SQL does not look into the content of an order: facts are typed', () => {
  const look = /content\s*(->|#>)|json_(to_record|each|array_elements)\w*\(\s*(o\.)?content\b/;
  // The first rewrites content without reading values; the second takes text out of orders that have no facts yet.
  const except = ['src/store/orders/dropoff.ts', 'src/store/orders/board.ts'];
  expect(except.every((file) => look.test(codeOf(file)))).toBe(true);
  expect(SOURCES.filter((file) => !except.includes(file) && look.test(codeOf(file)))).toEqual([]);
});

// A node of this version meets the columns that the next one adds: with a result that changes, a prepared statement
// fails, and a name that was clear becomes ambiguous.
test('no statement asks for all columns of a table', () => {
  const tables = [...read('schema.sql').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map((match) => match[1]);
  expect(tables.length).toBeGreaterThan(20);
  const all = new RegExp(
    String.raw`(?:select|returning|,)\s+(?:\w+\.)?\*[^()]*?\bfrom\s+(?:${tables.join('|')})\b|returning\s+(?:\w+\.)?\*`,
  );
  expect('select * from orders o').toMatch(all);
  expect('select d.* from deliveries d').toMatch(all);
  expect(SOURCES.filter((file) => roomOf(file) === 'store' && all.test(codeOf(file)))).toEqual([]);
});

test('no file is longer than 300 lines', () => {
  const long = [
    ...SOURCES,
    ...['bench', 'city'].flatMap((room) => listFiles(room, /\.ts$/)),
    ...listFiles('scripts', /\.mjs$/),
  ]
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300);
  expect(long).toEqual([]);
});

test('no junk drawers and no barrels', () => {
  const drawers = [...ALL_SOURCES, ...['bench', 'city'].flatMap((room) => listFiles(room, /\.ts$/))].filter((file) =>
    /(^|\/)(utils?|helpers?|common|types|interfaces|misc|enums?|index)(\.ts|\/)/.test(file.replace(/^test\//, '')),
  );
  expect(drawers).toEqual([]);
});

test('no test is skipped, singled out or put off, and none sleeps', () => {
  const tests = [...listFiles('src', /\.test\.ts$/), ...listFiles('test', /\.ts$/)].filter(
    (file) => file !== path.join('test', 'tidy.test.ts'),
  );
  expect(tests.length).toBeGreaterThan(20);
  const bad = tests.filter((file) => /\b(test|it|describe)\.(skip|only|todo)\(|\bsleep\(/.test(codeOf(file)));
  expect(bad).toEqual([]);
});

test('every decision page has a number of its own and a heading', () => {
  const pages = listFiles('docs/decisions', /\.md$/);
  expect(pages.length).toBeGreaterThan(5);
  const numbers = pages.map((page) => path.basename(page).slice(0, 4));
  expect(new Set(numbers).size).toBe(pages.length);
  for (const page of pages) expect(read(page)).toMatch(/^# /);
});
