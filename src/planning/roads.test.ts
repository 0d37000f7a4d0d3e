import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importRoads, RoadsError } from './import-roads.ts';
import { openRoads } from './roads.ts';
import { findValhalla, ValhallaMissing } from './valhalla.ts';

let roadsDir: string;

beforeAll(async () => {
  roadsDir = await mkdtemp(path.join(tmpdir(), 'waybill-roads-'));
});

afterAll(() => rm(roadsDir, { recursive: true }));

function hasEngine(): boolean {
  try {
    return findValhalla() !== '';
  } catch (error) {
    if (error instanceof ValhallaMissing) return false;
    throw error;
  }
}

// The engine is an optional package, and the extract lies with the benchmarks' data, outside the project.
const EXTRACT = path.join(process.env['WAYBILL_BENCH_DATA'] ?? '', 'osm/porto.osm.pbf');
const canImport = hasEngine() && existsSync(EXTRACT);

test('without an import there are no roads, and nothing fails', async () => {
  expect(await openRoads(roadsDir)).toBeNull();
});

test('a file that is not there is refused by its name', async () => {
  const file = path.join(roadsDir, 'nowhere.osm.pbf');
  await expect(importRoads({ file, roadsDir, stamp: '0', engineDir: roadsDir })).rejects.toThrow(
    new RoadsError(`There is no file ${file}.`),
  );
});

test.skipIf(!canImport)(
  'an imported city gives the times of its streets, and estimates what lies off its map',
  async () => {
    const { tiles } = await importRoads({ file: EXTRACT, roadsDir, stamp: '1' });
    expect(tiles).toBeGreaterThan(0);
    const roads = await openRoads(roadsDir);
    const from = { latitude: 41.15, longitude: -8.61 };
    const to = { latitude: 41.151, longitude: -8.612 };
    const there = await roads?.measure({ vehicle: 'BICYCLE', sources: [from], targets: [to] });
    const back = await roads?.measure({ vehicle: 'BICYCLE', sources: [to], targets: [from] });
    expect(there?.[0]).toBeGreaterThan(60);
    expect(there?.[0]).not.toBe(back?.[0]);
    const mixed = await roads?.measure({
      vehicle: 'BICYCLE',
      sources: [from, { latitude: 0, longitude: 0 }],
      targets: [to],
    });
    expect(mixed?.[0]).toBe(there?.[0]);
    expect(mixed?.[1]).toBeGreaterThan(100_000);
  },
  60_000,
);
