// Travel times from roads that were imported into the data folder.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Vehicle } from '../domain/courier.ts';
import type { Place } from '../domain/geo.ts';
import { estimateSeconds, NO_WAY, type TravelTile, type TravelTimes } from './travel-times.ts';
import { findValhalla, loadValhalla, type Valhalla } from './valhalla.ts';

/** Written last by the import: without it there are no roads. */
export const ROADS_FILE = 'roads.json';

const COSTING: Record<Vehicle, string> = {
  FOOT: 'pedestrian',
  BICYCLE: 'bicycle',
  MOTORCYCLE: 'motor_scooter',
  CAR: 'auto',
};

const ANSWER = z.object({ sources_to_targets: z.object({ durations: z.array(z.array(z.number().nullable())) }) });

type Engine = InstanceType<Valhalla['Actor']>;

/** Null: nothing was imported. */
export async function openRoads(
  roadsDir: string,
  load: () => Promise<Valhalla> = () => loadValhalla(findValhalla()),
): Promise<TravelTimes | null> {
  let config: string;
  try {
    config = await readFile(path.join(roadsDir, ROADS_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const { Actor } = await load();
  const engine = new Actor(config);
  return { name: 'roads', measure: (tile) => measure(engine, tile) };
}

/**
 * The engine refuses a tile as a whole when a single place lies off its map. It is then halved until that place is
 * found; rides from and to it are estimated, the others are measured.
 */
async function measure(engine: Engine, tile: TravelTile): Promise<Int32Array> {
  const { vehicle, sources, targets } = tile;
  try {
    return await ask(engine, tile);
  } catch (error) {
    if (!isAboutPlaces(error)) throw error;
    const [from] = sources;
    const [to] = targets;
    if (from === undefined || to === undefined) return new Int32Array(0);
    if (sources.length === 1 && targets.length === 1) return Int32Array.of(estimateSeconds(vehicle, from, to));
    if (sources.length > 1) {
      const half = sources.length >> 1;
      const upper = await measure(engine, { ...tile, sources: sources.slice(0, half) });
      const lower = await measure(engine, { ...tile, sources: sources.slice(half) });
      return Int32Array.of(...upper, ...lower);
    }
    const half = targets.length >> 1;
    const left = await measure(engine, { ...tile, targets: targets.slice(0, half) });
    const right = await measure(engine, { ...tile, targets: targets.slice(half) });
    return Int32Array.of(...left, ...right);
  }
}

function isAboutPlaces(error: unknown): boolean {
  return error instanceof Error && /No suitable edges|No path|exceeds the max distance/.test(error.message);
}

async function ask(engine: Engine, { vehicle, sources, targets }: TravelTile): Promise<Int32Array> {
  const answer = ANSWER.parse(
    await engine.matrix({
      sources: sources.map(write),
      targets: targets.map(write),
      costing: COSTING[vehicle],
      verbose: false,
    }),
  );
  const durations = answer.sources_to_targets.durations.flat();
  return Int32Array.from(durations, (seconds) => (seconds === null ? NO_WAY : Math.round(seconds)));
}

function write({ latitude, longitude }: Place): object {
  return { lat: latitude, lon: longitude };
}
