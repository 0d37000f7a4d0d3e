// The layout as tests: which room may import which, how many files a folder holds, and that no imports form a cycle.
import path from 'node:path';
import { expect, test } from 'vitest';
import { findRings, importsOf, isTest, listFiles, listImports, type Import } from './source-tree.ts';

const AREAS = ['src', 'panel', 'panel/src', 'scripts', 'harness', 'bench', 'chaos', 'city', 'failover', 'test'];
const FILES = [...new Set(AREAS.flatMap((area) => listFiles(area, /\.(ts|tsx|mjs)$/)))].filter(
  (file) => !file.startsWith('panel/dist/'),
);
const SOURCES = FILES.filter((file) => !isTest(file));

// These start the program or wire it together, so they may import from every room.
const WIRING = new Set([
  'src/main.ts',
  'src/app.ts',
  'src/serve.ts',
  'src/worker-entry.ts',
  'src/panel-wiring.ts',
  'src/readiness-wiring.ts',
  'src/upkeep-workers.ts',
  'panel/src/main.tsx',
  'panel/src/router.ts',
  'panel/src/routes.tsx',
]);

const PLATFORM = 'src/platform.ts';
const HOW_TO_RUN = 'src/how-to-run.ts';
const SECRETS = 'src/secrets';
const SETTINGS = 'src/settings';
const INNER = ['src/domain', 'src/store', PLATFORM];
const PANEL_INNER = ['panel/src/texts', 'panel/src/ui', 'src/domain', 'src/contract'];
const PANEL_BASE = [...PANEL_INNER, 'panel/src/api', 'panel/src/parts', 'panel/src/map', 'panel/src/paths.ts'];
const PANEL_PAGE = [...PANEL_BASE, 'panel/src/shell'];

/**
 * The other rooms that each room may import. A room covers the folders below it unless they have their own line; a room
 * that may be imported may be imported with everything below it.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  [PLATFORM]: ['src/domain'],
  [HOW_TO_RUN]: [],
  'src/nodes': [SETTINGS, PLATFORM, 'src/domain', 'src/embedded', 'src/runtime', 'src/store', 'src/http/metrics'],
  [SETTINGS]: ['src/domain', 'src/store/database/connecting/database-url.ts'],
  'src/runtime': ['src/domain', PLATFORM],
  [SECRETS]: ['src/runtime', SETTINGS],

  'src/domain': [],
  'src/domain/planning': ['src/domain/orders'],
  'src/domain/planning/search': [],
  'src/contract': ['src/domain'],
  'src/contract/integrator': ['src/domain', 'src/contract/validation', 'src/contract/refusal-status.ts'],
  'src/contract/panel': ['src/domain', 'src/contract/validation', 'src/contract/integrator/orders'],

  'src/store': ['src/domain', PLATFORM, SECRETS],
  'src/store/database': ['src/domain', PLATFORM],
  'src/store/schema': ['src/store/database', PLATFORM, HOW_TO_RUN],
  'src/actions': [...INNER, SECRETS],
  'src/accounts': [...INNER, SECRETS],
  'src/mail': [...INNER, SECRETS, 'src/actions', 'src/runtime'],

  'src/webhooks': [],
  'src/webhooks/dial': ['src/domain', PLATFORM],
  'src/webhooks/wire': ['src/webhooks/dial', PLATFORM],
  'src/webhooks/client': [...INNER, SECRETS, 'src/webhooks/dial', 'src/webhooks/wire'],
  'src/webhooks/queue': [...INNER, SECRETS, 'src/webhooks/client', 'src/webhooks/dial/attempt-failure.ts'],

  'src/planning': [...INNER, 'src/actions'],
  'src/planning/areas': [...INNER, 'src/actions'],
  'src/planning/travel': ['src/domain', 'src/runtime'],
  'src/planning/threads': [...INNER, 'src/planning/areas', 'src/planning/travel'],

  'src/http': [...INNER, SECRETS, 'src/contract', 'src/actions'],
  'src/http/protocol': ['src/domain', 'src/contract', 'src/store/database', 'src/http/metrics', PLATFORM],
  'src/http/metrics': INNER,
  'src/http/live': [...INNER, 'src/http/protocol'],
  'src/http/integrator': [...INNER, SECRETS, 'src/contract', 'src/actions', 'src/http/protocol'],
  'src/http/panel': [...INNER, SECRETS, 'src/contract', 'src/actions', 'src/accounts', 'src/http/protocol'],
  'src/http/panel/reads': [...INNER, 'src/contract', 'src/actions', 'src/http/protocol'],

  'src/embedded': ['src/runtime', 'src/store/backup', 'src/store/database', PLATFORM, HOW_TO_RUN],
  'src/embedded/system': [],
  'src/robots': [...INNER, SECRETS, 'src/contract', 'src/actions', 'src/runtime', 'src/app.ts'],
  'src/commands': ['src'],
  'src/commands/terminal': [...INNER, SECRETS, SETTINGS, 'src/actions', 'src/embedded'],

  'panel/src/paths.ts': [],
  // Nothing of Waybill except the texts of its own buttons and the units of time.
  'panel/src/ui': ['panel/src/texts/everywhere.ts', 'panel/src/texts/time.ts', 'src/domain/time.ts'],
  'panel/src/texts': ['src/domain', 'src/contract'],
  'panel/src/api': ['panel/src/texts', 'panel/src/paths.ts', 'src/domain', 'src/contract'],
  'panel/src/parts': [...PANEL_INNER, 'panel/src/api'],
  'panel/src/map': [...PANEL_INNER, 'panel/src/api'],
  'panel/src/shell': PANEL_BASE,

  // A page imports nothing of other pages, except the parts of planning that they show.
  'panel/src/pages/account': PANEL_PAGE,
  'panel/src/pages/courier': PANEL_PAGE,
  'panel/src/pages/map': [...PANEL_PAGE, 'panel/src/pages/planning'],
  'panel/src/pages/operator': [...PANEL_PAGE, 'panel/src/pages/planning', 'panel/src/pages/team/invite-dialog.tsx'],
  'panel/src/pages/orders': [...PANEL_PAGE, 'panel/src/pages/planning'],
  'panel/src/pages/planning': [...PANEL_PAGE, 'panel/src/pages/courier/stops/distance.ts'],
  'panel/src/pages/settings': PANEL_PAGE,
  'panel/src/pages/sign-in': PANEL_PAGE,
  'panel/src/pages/team': PANEL_PAGE,
  'panel/src/pages/webhooks': PANEL_PAGE,

  // The build of the pages. It reads the paths of the contract.
  'panel/main-bundle.ts': ['panel/shell-files.ts'],
  'panel/precompress.ts': [],
  'panel/shell-files.ts': ['src/contract'],
  'panel/vite.config.ts': ['panel/main-bundle.ts', 'panel/precompress.ts', 'panel/shell-files.ts'],
  // Installs the packages, so it may use nothing that they or the service provide.
  scripts: [],

  harness: ['src'],
  bench: ['harness', 'src'],
  chaos: ['harness', 'src'],
  city: ['harness', 'src'],
  failover: ['harness', 'src'],
  test: ['harness', 'src'],
};

/** Rooms whose interfaces a room implements. It may import their types and nothing that runs. */
const MAY_IMPORT_TYPES_OF: Record<string, readonly string[]> = {
  'src/webhooks/queue': ['src/actions'],
};

const isBelow = (room: string, file: string): boolean => file === room || file.startsWith(`${room}/`);

/** The innermost room with its own line. */
function ruleOf(file: string): string | undefined {
  return Object.keys(MAY_IMPORT)
    .filter((room) => isBelow(room, file))
    .toSorted((one, other) => other.length - one.length)[0];
}

function findViolation(file: string, { target, isTypeOnly }: Import): string | undefined {
  const room = ruleOf(file);
  if (room === undefined || WIRING.has(file)) return undefined;
  const allowed = [...(MAY_IMPORT[room] ?? []), ...(isTypeOnly ? (MAY_IMPORT_TYPES_OF[room] ?? []) : [])];
  return [room, ...allowed].some((other) => isBelow(other, target)) ? undefined : `${file} -> ${target}`;
}

/** Top-level files wire rooms together, so each of them is its own room. */
function roomOf(file: string): string {
  const folder = path.dirname(file);
  return AREAS.includes(folder) ? file : folder;
}

function collectArrows(nodeOf: (file: string) => string): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const file of SOURCES) {
    const targets = arrows.get(nodeOf(file)) ?? new Set<string>();
    for (const target of importsOf(file)) if (nodeOf(target) !== nodeOf(file)) targets.add(nodeOf(target));
    arrows.set(nodeOf(file), targets);
  }
  return arrows;
}

test('control: source files and imports are found', () => {
  expect(SOURCES.length).toBeGreaterThan(900);
  expect(SOURCES.flatMap(importsOf).length).toBeGreaterThan(4_000);
});

test('every file belongs to a room with a rule, and every rule has files', () => {
  expect(SOURCES.filter((file) => ruleOf(file) === undefined && !WIRING.has(file))).toEqual([]);
  const named = [...Object.keys(MAY_IMPORT), ...Object.values(MAY_IMPORT).flat(), ...WIRING];
  expect(named.filter((room) => !FILES.some((file) => isBelow(room, file)))).toEqual([]);
});

test('imports point inward: each room imports only from allowed rooms', () => {
  const isViolation = (file: string, target: string, isTypeOnly = false): boolean =>
    findViolation(file, { target, isTypeOnly }) !== undefined;
  expect(isViolation('src/domain/orders/order.ts', 'src/store/orders/orders.ts', true)).toBe(true);
  expect(isViolation('src/webhooks/queue/engine.ts', 'src/actions/orders/place-order.ts')).toBe(true);
  expect(isViolation('panel/src/ui/button.tsx', 'panel/src/api/client.ts')).toBe(true);
  expect(isViolation('city/main.ts', 'chaos/main.ts')).toBe(true);
  expect(isViolation('panel/src/pages/team/team-page.tsx', 'panel/src/pages/account/account-page.tsx')).toBe(true);
  expect(isViolation('panel/shell-files.ts', 'panel/src/paths.ts')).toBe(true);
  expect(isViolation('scripts/run.mjs', 'src/platform.ts')).toBe(true);
  expect(SOURCES.flatMap((file) => listImports(file).flatMap((found) => findViolation(file, found) ?? []))).toEqual([]);
});

test('pages access the service only through panel/src/api', () => {
  const users = SOURCES.filter((file) => importsOf(file).includes('panel/src/api/client.ts'));
  expect(users.length).toBeGreaterThan(5);
  expect(users.filter((file) => !isBelow('panel/src/api', file))).toEqual([]);
});

test('no import cycles exist, neither of values nor of types', () => {
  expect(
    findRings(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['c'])],
        ['c', new Set(['a'])],
      ]),
    ),
  ).toHaveLength(1);
  expect(findRings(collectArrows((file) => file))).toEqual([]);
});

test('no rooms import each other, directly or through others', () => {
  expect(findRings(collectArrows(roomOf))).toEqual([]);
});

test('a folder holds at most 20 files, not counting tests beside the code', () => {
  const counts = new Map<string, number>();
  const counted = FILES.filter((file) => isBelow('test', file) || !isTest(file));
  for (const file of counted) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});
