// Opens the provider of travel times that the settings select.
import { openOsrm } from './osrm.ts';
import { findTiles, openRoads, type Roads } from './roads.ts';
import { RoadsError } from './roads-error.ts';
import type { TravelTile, TravelTimes } from './travel-times.ts';

export interface ProviderSettings {
  /** An OSRM-compatible service; takes precedence over imported roads. */
  routingUrl: string | null;
  /** Where `roads import` puts its results; it may not exist. */
  roadsDir: string;
}

/** Null: only estimates are configured. If a configured provider fails, plans name what they used instead. */
export async function openProvider({ routingUrl, roadsDir }: ProviderSettings): Promise<TravelTimes | null> {
  if (routingUrl !== null) return openOsrm(routingUrl);
  if (!(await hasRoads(roadsDir))) return null;
  return new RestartedRoads(roadsDir);
}

/** An unreadable file still counts as roads. */
async function hasRoads(roadsDir: string): Promise<boolean> {
  return findTiles(roadsDir).then(
    (tiles) => tiles !== undefined,
    () => true,
  );
}

/** Opened on the first request, so that roads that are broken at startup work as soon as they have been fixed. */
class RestartedRoads implements TravelTimes {
  readonly name = 'roads';
  readonly #roadsDir: string;
  #roads: Roads | null = null;

  constructor(roadsDir: string) {
    this.#roadsDir = roadsDir;
  }

  async measure(tile: TravelTile): Promise<Int32Array> {
    this.#roads ??= await openRoads(this.#roadsDir);
    if (this.#roads === null) throw new RoadsError(`The roads in ${this.#roadsDir} are missing.`);
    return this.#roads.measure(tile);
  }
}
