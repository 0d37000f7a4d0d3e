// Which provider of travel times the settings ask for.
import { openOsrm } from './osrm.ts';
import { findTiles, openRoads, type Roads } from './roads.ts';
import { RoadsError } from './roads-error.ts';
import type { TravelTile, TravelTimes } from './travel-times.ts';

export interface ProviderSettings {
  /** An OSRM-compatible service; it goes before imported roads. */
  routingUrl: string | null;
  /** Where `roads import` puts what it builds; null: nowhere. */
  roadsDir: string | null;
}

/** Null: nothing but the estimate was asked for. A provider that cannot be had fails, and plans say what stands in. */
export async function openProvider({ routingUrl, roadsDir }: ProviderSettings): Promise<TravelTimes | null> {
  if (routingUrl !== null) return openOsrm(routingUrl);
  if (roadsDir === null || !(await hasRoads(roadsDir))) return null;
  return new RoadsWhenMended(roadsDir);
}

/** A list of roads that cannot be read is one all the same. */
async function hasRoads(roadsDir: string): Promise<boolean> {
  return findTiles(roadsDir).then(
    (tiles) => tiles !== undefined,
    () => true,
  );
}

/** Opened when they are asked, so that roads which are broken at the start are there once somebody has mended them. */
class RoadsWhenMended implements TravelTimes {
  readonly name = 'roads';
  readonly #roadsDir: string;
  #roads: Roads | null = null;

  constructor(roadsDir: string) {
    this.#roadsDir = roadsDir;
  }

  async measure(tile: TravelTile): Promise<Int32Array> {
    this.#roads ??= await openRoads(this.#roadsDir);
    if (this.#roads === null) throw new RoadsError(`The roads are gone from ${this.#roadsDir}.`);
    return this.#roads.measure(tile);
  }
}
