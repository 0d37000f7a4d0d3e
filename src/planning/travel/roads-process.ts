// The process in which the routing engine measures rides, one tile at a time. It ends when its parent process is gone.
import { setPriority } from 'node:os';
import { z } from 'zod';
import type { Vehicle } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import { NOT_COVERED, NO_ROUTE, type TravelTile } from './travel-times.ts';
import { describeRoads, loadValhalla, type Valhalla } from './valhalla.ts';

export interface RoadsQuestion {
  number: number;
  tile: TravelTile;
}

export type RoadsAnswer =
  | { kind: 'measured'; number: number; cells: Int32Array }
  | { kind: 'failed'; number: number; reason: string };

type Engine = InstanceType<Valhalla['Actor']>;

const COSTING: Record<Vehicle, string> = {
  FOOT: 'pedestrian',
  BICYCLE: 'bicycle',
  MOTORCYCLE: 'motor_scooter',
  CAR: 'auto',
};

/** Gets a third of the share of other processes when processors are scarce. */
const NICENESS = 5;

const ANSWER = z.object({ sources_to_targets: z.object({ durations: z.array(z.array(z.number().nullable())) }) });

/** The engine rejects the whole tile if a single place lies off its map, without saying which. */
async function measure(engine: Engine, tile: TravelTile): Promise<Int32Array> {
  const whole = await tryTile(engine, tile);
  if (whole !== undefined) return whole;
  const cells = new Int32Array(tile.sources.length * tile.targets.length).fill(NOT_COVERED);
  const sources = await listPlacesOnMap(engine, tile.vehicle, tile.sources);
  const targets = await listPlacesOnMap(engine, tile.vehicle, tile.targets);
  const inner = await tryTile(engine, {
    vehicle: tile.vehicle,
    sources: sources.map(({ place }) => place),
    targets: targets.map(({ place }) => place),
  });
  for (const [row, { index: source }] of sources.entries()) {
    for (const [column, { index: target }] of targets.entries()) {
      cells[source * tile.targets.length + target] = inner?.[row * targets.length + column] ?? NOT_COVERED;
    }
  }
  return cells;
}

async function listPlacesOnMap(
  engine: Engine,
  vehicle: Vehicle,
  places: readonly Place[],
): Promise<{ place: Place; index: number }[]> {
  const found: { place: Place; index: number }[] = [];
  for (const [index, place] of places.entries()) {
    const ride = await tryTile(engine, { vehicle, sources: [place], targets: [place] });
    if (ride !== undefined) found.push({ place, index });
  }
  return found;
}

/** Undefined if at least one of the places is not on the map. */
async function tryTile(engine: Engine, { vehicle, sources, targets }: TravelTile): Promise<Int32Array | undefined> {
  if (sources.length === 0 || targets.length === 0) return new Int32Array(0);
  let answer: unknown;
  try {
    answer = await engine.matrix({
      sources: sources.map(write),
      targets: targets.map(write),
      costing: COSTING[vehicle],
      verbose: false,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/No path could be found/.test(message)) return new Int32Array(sources.length * targets.length).fill(NO_ROUTE);
    if (/No suitable edges|exceeds the max distance/.test(message)) return undefined;
    throw error;
  }
  const durations = ANSWER.parse(answer).sources_to_targets.durations.flat();
  return Int32Array.from(durations, (seconds) => (seconds === null ? NO_ROUTE : Math.round(seconds)));
}

function write({ latitude, longitude }: Place): object {
  return { lat: latitude, lon: longitude };
}

const [engineDir = '', tileDir = ''] = process.argv.slice(2);
// Plans work without it, so the API goes first; but it must not starve, because its time is limited.
setPriority(NICENESS);
const reply = (answer: RoadsAnswer): void => void process.send?.(answer);
const opened = loadValhalla(engineDir).then(({ Actor }) => new Actor(JSON.stringify(describeRoads(tileDir))));

process.on('disconnect', () => process.exit());
process.on('message', ({ number, tile }: RoadsQuestion) => {
  opened
    .then(async (engine) => reply({ kind: 'measured', number, cells: await measure(engine, tile) }))
    .catch((error: unknown) => {
      reply({ kind: 'failed', number, reason: error instanceof Error ? error.message : String(error) });
    });
});
