import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, questionOf, RESTAURANT } from '../../../test/planning/area-updates.ts';
import { writeExtract, type Street } from '../../../test/planning/osm-extract.ts';
import type { Place } from '../../domain/geo.ts';
import { DAY_MS } from '../../domain/time.ts';
import { createPlatform } from '../../platform.ts';
import { importRoads } from './import-roads.ts';
import type { AreaQuestion } from '../areas/updates.ts';
import { createPlanThreads } from '../threads/plan-threads.ts';
import { openProvider } from './provider.ts';
import { ensureEngine, locateEngine } from './road-engine.ts';
import { RoadsError } from './roads-error.ts';
import { findTiles, openRoads, ROADS_FILE } from './roads.ts';
import { NOT_COVERED, NO_ROUTE, type TravelTile } from './travel-times.ts';
import { tileBuilderOf } from './valhalla.ts';

/** Downloaded once and cached next to the packages: it is tens of megabytes, and the same for every test. */
const KEPT = path.join(import.meta.dirname, '../../../node_modules/.cache/waybill-roads');

let roadsDir: string;
let engineDir: string;
let town: string;

beforeAll(async () => {
  roadsDir = await mkdtemp(path.join(tmpdir(), 'waybill-roads-'));
  engineDir = await ensureEngine({ roadsDir: KEPT, onProgress: () => undefined });
  town = path.join(roadsDir, 'town.osm.pbf');
  await writeFile(town, writeTown());
}, 120_000);

afterAll(() => rm(roadsDir, { recursive: true }));

const SIDE = 10;
const BLOCK_DEGREES = 0.002;

function corner(row: number, column: number, from = { latitude: 41, longitude: 29 }): Place {
  return { latitude: from.latitude + row * BLOCK_DEGREES, longitude: from.longitude + column * BLOCK_DEGREES };
}

const ISLAND = { latitude: 41.05, longitude: 29.05 };

/** Ten streets each way, about 200 m apart; the first is one-way eastward. An island has the same grid. */
function writeTown(): Buffer {
  const all = Array.from({ length: SIDE * SIDE }, (_, index) => [Math.floor(index / SIDE), index % SIDE] as const);
  const nodes = [undefined, ISLAND].flatMap((from) => all.map(([row, column]) => corner(row, column, from)));
  const streets = [0, SIDE * SIDE].flatMap((before) =>
    Array.from({ length: SIDE }, (_, line) => line).flatMap((line): Street[] => {
      const numbers = Array.from({ length: SIDE }, (_, step) => step);
      const tags = { highway: 'residential', name: `Street ${line}` };
      return [
        {
          nodes: numbers.map((step) => before + line * SIDE + step + 1),
          tags: line === 0 ? { ...tags, oneway: 'yes' } : tags,
        },
        { nodes: numbers.map((step) => before + step * SIDE + line + 1), tags },
      ];
    }),
  );
  return writeExtract(nodes, streets);
}

function importTown(file: string, now: number): Promise<{ tiles: number }> {
  return importRoads({ file, roadsDir, now, getEngineDir: () => Promise.resolve(engineDir) });
}

async function measure(tile: TravelTile): Promise<number[]> {
  const roads = await openRoads(roadsDir, { engineDir });
  if (roads === null) throw new Error('there are no roads');
  try {
    return [...(await roads.measure(tile))];
  } finally {
    roads.close();
  }
}

test('without an import there are no roads, and nothing fails', async () => {
  expect(await openRoads(path.join(roadsDir, 'nothing'))).toBeNull();
});

test('a missing file is rejected by name before anything is downloaded', async () => {
  const file = path.join(roadsDir, 'nowhere.osm.pbf');
  const getEngineDir = () => Promise.reject(new Error('nothing is to be fetched'));
  await expect(importRoads({ file, roadsDir, now: 0, getEngineDir })).rejects.toThrow(
    new RoadsError(`The file ${file} does not exist.`),
  );
});

test('an imported town gives street travel times: one-way streets, gaps, and places off the map', async () => {
  expect((await importTown(town, 1)).tiles).toBeGreaterThan(0);
  const west = corner(0, 1);
  const east = corner(0, 8);
  const island = corner(5, 5, ISLAND);
  const sea = { latitude: 41.03, longitude: 29.03 };
  const places = [west, east, island, sea];
  const car = await measure({ vehicle: 'CAR', sources: places, targets: places });
  const [, there = 0, , , back = 0] = car;
  // 1,176 m; the way back goes around a block.
  expect(there).toBeGreaterThan(60);
  expect(there).toBeLessThan(400);
  expect(back).toBeGreaterThan(there + 15);
  expect([car[2], car[6], car[8], car[9]]).toEqual([NO_ROUTE, NO_ROUTE, NO_ROUTE, NO_ROUTE]);
  expect([car[3], car[7], car[11], car[12], car[13], car[14]]).toEqual(Array(6).fill(NOT_COVERED));
  const [walk = 0] = await measure({ vehicle: 'FOOT', sources: [west], targets: [east] });
  expect(walk).toBeGreaterThan(2 * there);
});

test('the active roads stay when a file cannot be read, and nothing of the failed import is left', async () => {
  const tile: TravelTile = { vehicle: 'CAR', sources: [corner(2, 2)], targets: [corner(7, 7)] };
  await importTown(town, 2);
  const before = await measure(tile);
  const broken = path.join(roadsDir, 'broken.osm.pbf');
  await writeFile(broken, 'This is not an extract.');
  await expect(importTown(broken, 3)).rejects.toThrow(
    `Cannot read ${broken} as an OpenStreetMap extract (.osm.pbf): PBF error`,
  );
  expect(await measure(tile)).toEqual(before);
  expect((await readdir(roadsDir)).filter((name) => name.includes('-3-'))).toEqual([]);
});

test('concurrent imports all succeed, and the active one is complete', async () => {
  const folder = path.join(roadsDir, 'same-moment');
  const program = tileBuilderOf(folder);
  await mkdir(path.dirname(program), { recursive: true });
  await writeFile(program, '#!/bin/sh\n: > tile.gph\n', { mode: 0o755 });
  const together = { file: town, roadsDir: folder, getEngineDir: () => Promise.resolve(folder) };
  for (let now = 1; now <= 10; now += 1) {
    const imports = await Promise.all(Array.from({ length: 5 }, () => importRoads({ ...together, now })));
    expect(imports.map(({ tiles }) => tiles)).toEqual([1, 1, 1, 1, 1]);
    const inUse = (await findTiles(folder)) ?? '';
    expect(await readdir(inUse)).toContain('tile.gph');
    expect((await stat(inUse)).mode & 0o777).toBe(0o755);
  }
});

test('concurrent imports keep each other’s unfinished work, and leftovers of a killed one are removed after a day', async () => {
  const now = 2 * DAY_MS;
  const make = async (startedAt: number): Promise<string[]> => {
    const [building, built] = [`building-${startedAt}-abc`, `tiles-${startedAt}-def`];
    for (const name of [building, built]) await mkdir(path.join(roadsDir, name));
    await writeFile(path.join(roadsDir, built, 'roads.json'), JSON.stringify({ tiles: built }));
    return [building, built];
  };
  const leftBehind = await make(now - DAY_MS - 1);
  const beside = await make(now - DAY_MS);
  await importTown(town, now);
  const names = await readdir(roadsDir);
  expect([...leftBehind, ...beside].filter((name) => names.includes(name))).toEqual(beside);
  for (const name of beside) await rm(path.join(roadsDir, name), { recursive: true });
});

test('an unreadable list of roads is repaired by the next import', async () => {
  await writeFile(path.join(roadsDir, 'roads.json'), '{');
  await importTown(town, 4);
  expect(await measure({ vehicle: 'CAR', sources: [corner(2, 2)], targets: [corner(7, 7)] })).toHaveLength(1);
});

test('a service whose roads were removed switches to the newest import, and reports when there is none', async () => {
  await importTown(town, 11);
  const tile: TravelTile = { vehicle: 'CAR', sources: [corner(2, 2)], targets: [corner(7, 7)] };
  const roads = await openRoads(roadsDir, { engineDir });
  if (roads === null) throw new Error('there are no roads');
  try {
    const before = await roads.measure(tile);
    expect(before[0]).toBeGreaterThan(0);
    await importTown(town, 12);
    await importTown(town, 13);
    const kept = (await readdir(roadsDir)).filter((name) => name.startsWith('tiles-'));
    expect(kept).toEqual([expect.stringMatching(/^tiles-12-/), expect.stringMatching(/^tiles-13-/)]);
    expect(await roads.measure(tile)).toEqual(before);
    expect(await listProcesses(path.join(roadsDir, 'tiles-13-'))).toHaveLength(1);
    for (const name of kept) await rm(path.join(roadsDir, name), { recursive: true });
    await expect(roads.measure(tile)).rejects.toThrow(`The roads in ${roadsDir} are missing. Import them again`);
    await importTown(town, 14);
    expect(await roads.measure(tile)).toEqual(before);
  } finally {
    roads.close();
  }
});

test('a tile fails in time when it is too slow or its process dies, and the next one is measured', async () => {
  await importTown(town, 5);
  const tile: TravelTile = { vehicle: 'CAR', sources: [corner(2, 2)], targets: [corner(7, 7)] };
  const impatient = await openRoads(roadsDir, { engineDir, timeLimitMs: 1 });
  await expect(impatient?.measure(tile)).rejects.toThrow('the routing engine did not respond within');
  const roads = await openRoads(roadsDir, { engineDir });
  const lost = roads?.measure(tile);
  roads?.close();
  await expect(lost).rejects.toThrow('the routing engine was closed');
  expect(await roads?.measure(tile)).toHaveLength(1);
  roads?.close();
});

test('roads without their engine explain how to get it back', async () => {
  await importTown(town, 6);
  await expect(openRoads(roadsDir)).rejects.toThrow(/routing engine is not in .*waybill roads import/);
});

test('roads that are broken at startup fail with a clear error and work once repaired', async () => {
  const own = await mkdtemp(path.join(tmpdir(), 'waybill-broken-roads-'));
  onTestFinished(() => rm(own, { recursive: true }));
  const settings = { routingUrl: null, roadsDir: own };
  expect(await openProvider(settings)).toBeNull();
  await writeFile(path.join(own, ROADS_FILE), '{');
  const provider = await openProvider(settings);
  expect(provider?.name).toBe('roads');
  const tile: TravelTile = { vehicle: 'CAR', sources: [corner(0, 0)], targets: [corner(0, 8)] };
  await expect(provider?.measure(tile)).rejects.toThrow(/JSON/);
  await importRoads({ file: town, roadsDir: own, now: 0, getEngineDir: () => Promise.resolve(engineDir) });
  await expect(provider?.measure(tile)).rejects.toThrow(/routing engine is not in/);
  await symlink(engineFolderOf(engineDir), engineFolderOf(await locateEngine(own)));
  expect(await provider?.measure(tile)).toHaveLength(1);
});

/** Ids of the processes that use roads in the folder. */
async function listProcesses(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => commands[index]?.includes('roads-process') && commands[index].includes(folder));
}

test('the first plan is estimated and says so, the next one uses the roads, and no process is left', async () => {
  await importTown(town, 7);
  await symlink(engineFolderOf(engineDir), engineFolderOf(await locateEngine(roadsDir)));
  let learned = 0;
  const threads = createPlanThreads({
    log: createPlatform().log,
    settings: { routingUrl: null, roadsDir },
    onLearned: () => (learned += 1),
    count: 1,
  });
  const plan = async () => {
    const { answer } = await threads.plan('area', dinner());
    if (answer.kind !== 'planned') throw new Error('nothing was planned');
    return answer;
  };
  const first = await plan();
  expect(first.summary.travelTimes).toBe('roads, estimate');
  expect(first.summary.bridgedShare).toBeGreaterThan(0);
  await expect.poll(() => learned, { timeout: 40_000 }).toBe(1);
  const second = await plan();
  expect(second.summary).toMatchObject({ travelTimes: 'roads', bridgedShare: 0, waiting: 0 });
  expect(second.plans[0]?.dropoffAt).not.toBe(first.plans[0]?.dropoffAt);
  expect(await listProcesses(roadsDir)).toHaveLength(1);
  await threads.close();
  await expect.poll(() => listProcesses(roadsDir), { timeout: 10_000 }).toEqual([]);
}, 60_000);

/** One order, from one corner of the town to another, and a courier who can carry it. */
function dinner(): AreaQuestion {
  return questionOf({
    restaurants: [{ ...RESTAURANT, place: corner(0, 8) }],
    orders: [knownOrderOf('order', { facts: { dropoff: corner(0, 1) } })],
    couriers: { here: [courierAtWorkOf('courier', { vehicle: 'CAR', place: corner(4, 4) })], elsewhere: [] },
  });
}

/** The installation's folder, from the folder of the package in it. */
const engineFolderOf = (folder: string): string => path.resolve(folder, '../../..');

/** A program that behaves like a failing npm. */
async function writeNpm(script: string): Promise<string> {
  const file = path.join(roadsDir, `npm-${script.length}`);
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

test('a failed engine download is explained in one sentence and leaves no files', async () => {
  const folder = path.join(roadsDir, 'elsewhere');
  const fetch = (npm: string) => ensureEngine({ roadsDir: folder, onProgress: () => undefined, npm });
  await expect(fetch(path.join(roadsDir, 'no-npm'))).rejects.toThrow('npm is not on the PATH');
  const offline = await writeNpm('npm_config_registry=http://127.0.0.1:9/ exec npm "$@" --fetch-retries=0');
  await expect(fetch(offline)).rejects.toThrow(/http:\/\/127\.0\.0\.1:9 cannot be reached\. Check the network/);
  const forged = await writeNpm('echo "npm error code EINTEGRITY" >&2; exit 1');
  await expect(fetch(forged)).rejects.toThrow('does not match its checksum');
  expect(await readdir(folder)).toEqual([]);
});

test('the user who runs the service can read an engine that another user downloaded', async () => {
  const folder = path.join(roadsDir, 'shared');
  const npm = await writeNpm('mkdir -p node_modules/@valhallajs/valhallajs');
  const fetched = engineFolderOf(await ensureEngine({ roadsDir: folder, onProgress: () => undefined, npm }));
  expect((await stat(fetched)).mode & 0o777).toBe(0o755);
});

test('an engine that exists is not downloaded again', async () => {
  const folder = path.join(roadsDir, 'kept');
  await mkdir(folder);
  await symlink(engineFolderOf(engineDir), engineFolderOf(await locateEngine(folder)));
  const found = await ensureEngine({
    roadsDir: folder,
    onProgress: () => undefined,
    npm: path.join(roadsDir, 'no-npm'),
  });
  expect(found).toBe(await locateEngine(folder));
});
