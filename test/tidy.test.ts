// The house rules as tests: what is forbidden where, and size limits. rooms.test.ts checks which room may import which.
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeOf, importsOf, isTest, listFiles, read } from './source-tree.ts';

const ALL_SOURCES = listFiles('src', /\.ts$/);
const SOURCES = ALL_SOURCES.filter((file) => !isTest(file));
const PROGRAMS = ['harness', 'bench', 'chaos', 'city', 'failover'].flatMap((room) => listFiles(room, /\.ts$/));
const TESTS = listFiles('test', /\.ts$/);
const SCRIPTS = listFiles('scripts', /\.mjs$/);
const PANEL = listFiles('panel', /\.tsx?$/).filter((file) => !file.startsWith(path.normalize('panel/dist/')));
const EVERYTHING = [...ALL_SOURCES, ...PANEL, ...PROGRAMS, ...TESTS, ...SCRIPTS];

// A layer is a folder of src, or a file directly in it.
function layerOf(file: string): string {
  const [, first = ''] = file.split(path.sep);
  return first.replace(/\.ts$/, '');
}

test('control: source files and imports are found', () => {
  expect(SOURCES.length).toBeGreaterThan(50);
  expect(SOURCES.flatMap(importsOf).length).toBeGreaterThan(200);
});

test('the domain imports no packages and no Node modules', () => {
  const outside = SOURCES.filter((file) => layerOf(file) === 'domain').flatMap((file) =>
    [...read(file).matchAll(/from '([^.'][^']*)'/g)].map((match) => `${file} -> ${match[1]}`),
  );
  expect(outside).toEqual([]);
});

const BANNED: { call: RegExp; instead: string; except: readonly string[] }[] = [
  { call: /\bDate\.now\(/, instead: 'clock.now()', except: ['src/platform.ts'] },
  { call: /\bnew Date\(\)/, instead: 'clock.now()', except: [] },
  { call: /\bMath\.random\(/, instead: 'platform.randomBytes', except: [] },
  { call: /\brandomUUID\(/, instead: 'platform.newId()', except: [] },
  { call: /\bprocess\.env\b/, instead: 'settings/config.ts', except: ['src/settings/config.ts'] },
  { call: /\bconsole\.\w+\(/, instead: 'the log', except: [] },
  // Webhook URLs come from strangers, so they need the sender's checks. The operator chooses the routing service.
  { call: /\bfetch\(/, instead: 'webhooks/client/sender.ts', except: ['src/planning/travel/osrm.ts'] },
  { call: /\bdns\.lookup\(/, instead: 'webhooks/dial/resolve.ts', except: [] },
];

for (const { call, instead, except } of BANNED) {
  test(`${call.source} is not called: use ${instead}`, () => {
    const files = SOURCES.filter((file) => !except.includes(file) && call.test(codeOf(file)));
    expect(files).toEqual([]);
  });
}

test('an instant becomes text only by the helpers of domain/time.ts', () => {
  const except = ['src/domain/time.ts', 'src/store/database/timestamps.ts'];
  const files = [...SOURCES, ...PROGRAMS, ...PANEL].filter((file) => /\.toISOString\(/.test(codeOf(file)));
  expect(files.filter((file) => !isTest(file))).toEqual(except);
});

// panel/src/house-rules.test.ts holds the pages to the same rule. Tests may write out what is on the wire.
test('paths of the panel API are typed only in their declarations', () => {
  const files = [...SOURCES, ...PROGRAMS].filter((file) => !isTest(file) && /['"`]\/api\//.test(codeOf(file)));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !file.startsWith(path.normalize('src/contract/panel/')))).toEqual([]);
});

test('only the store contains SQL', () => {
  const sql = /`\s*(select \w|insert into \w|update \w+ set|delete from \w|with \w+ as)/;
  const files = SOURCES.filter((file) => !['store', 'embedded'].includes(layerOf(file)) && sql.test(codeOf(file)));
  expect(files).toEqual([]);
});

// The content of one order once stopped planning for everyone: SQL cast a number that JSON allows in several spellings.
test('SQL does not read inside the content of an order: facts are typed columns', () => {
  const look = /content\s*(->|#>)|json_(to_record|each|array_elements)\w*\(\s*(o\.)?content\b/;
  // The first rewrites content without reading values; the second reads text from orders that have no facts yet.
  const except = ['src/store/orders/dropoff.ts', 'src/store/orders/board.ts'];
  expect(except.every((file) => look.test(codeOf(file)))).toBe(true);
  expect(SOURCES.filter((file) => !except.includes(file) && look.test(codeOf(file)))).toEqual([]);
});

// During an upgrade, this version runs on a schema with the next version's columns: a prepared statement whose result
// changes fails, and an unambiguous name may become ambiguous.
test('no statement selects all columns of a table', () => {
  const tables = [...read('schema.sql').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map((match) => match[1]);
  expect(tables.length).toBeGreaterThan(20);
  const all = new RegExp(
    String.raw`(?:select|returning|,)\s+(?:\w+\.)?\*[^()]*?\bfrom\s+(?:${tables.join('|')})\b|returning\s+(?:\w+\.)?\*`,
  );
  expect('select * from orders o').toMatch(all);
  expect('select d.* from deliveries d').toMatch(all);
  expect(SOURCES.filter((file) => layerOf(file) === 'store' && all.test(codeOf(file)))).toEqual([]);
});

// A statement of the store is not cut into two files, a long page not into arbitrary parts, and a test file grows with
// the cases of its subject.
const MAX_LINES: readonly { files: RegExp; lines: number }[] = [
  { files: /\.test\.tsx?$/, lines: 600 },
  { files: /^test\//, lines: 400 },
  { files: /^src\/store\/|-page\.tsx$/, lines: 400 },
  { files: /^/, lines: 300 },
];

function maxLinesOf(file: string): number {
  return MAX_LINES.find(({ files }) => files.test(file))?.lines ?? 0;
}

test('no file is longer than its limit: 300 lines, 400 for SQL and pages, more for tests', () => {
  expect(['src/app.ts', 'src/store/orders/writes.ts', 'bench/main.ts', 'test/tidy.test.ts'].map(maxLinesOf)).toEqual([
    300, 400, 300, 600,
  ]);
  expect(EVERYTHING.length).toBeGreaterThan(1_300);
  const long = EVERYTHING.map((file) => ({ file, lines: read(file).split('\n').length - 1 })).filter(
    ({ file, lines }) => lines > maxLinesOf(file),
  );
  expect(long).toEqual([]);
});

test('the linter limits the length of every function', () => {
  const configuration = read('.oxlintrc.json');
  const limits = [...configuration.matchAll(/"max-lines-per-function": \[\s*"error",\s*\{\s*"max": (\d+)/g)];
  expect(limits.map(([, max]) => Number(max))).toEqual([70, 150, 180]);
  expect(configuration).not.toMatch(/"max-lines-per-function": "(off|warn)"/);
});

// A folder with a blank in its name is %20 in a URL's pathname.
test('file paths are read with fileURLToPath', () => {
  const paths = EVERYTHING.filter((file) => /import\.meta\.url\)\.pathname/.test(codeOf(file)));
  expect(paths).toEqual([]);
});

test('no junk drawers and no barrels', () => {
  const drawers = EVERYTHING.filter((file) =>
    /(^|\/)(utils?|helpers?|common|types|interfaces|misc|enums?|index)(\.\w+|\/)/.test(file),
  );
  expect(drawers).toEqual([]);
});

test('no test is skipped, focused or postponed, and none sleeps', () => {
  const tests = [...EVERYTHING.filter(isTest), ...TESTS].filter((file) => file !== path.join('test', 'tidy.test.ts'));
  expect(tests.length).toBeGreaterThan(400);
  const bad = tests.filter((file) => /\b(test|it|describe)\.(skip|only|todo)\(|\bsleep\(/.test(codeOf(file)));
  expect(bad).toEqual([]);
});

test('every decision page has a unique number and a heading', () => {
  const pages = listFiles('docs/decisions', /\.md$/);
  expect(pages.length).toBeGreaterThan(5);
  const numbers = pages.map((page) => path.basename(page).slice(0, 4));
  expect(new Set(numbers).size).toBe(pages.length);
  for (const page of pages) expect(read(page)).toMatch(/^# /);
});
