// Which provider of travel times the settings ask for.
import { openOsrm } from './osrm.ts';
import { openRoads } from './roads.ts';
import type { TravelTimes } from './travel-times.ts';

export interface ProviderSettings {
  /** An OSRM-compatible service; it goes before imported roads. */
  routingUrl: string | null;
  /** Where `roads import` puts what it builds; null: nowhere. */
  roadsDir: string | null;
}

/** Null: there is nothing but the estimate. What was asked for and cannot be had is said, and planning goes on. */
export async function openProvider(
  settings: ProviderSettings,
  onFailure: (reason: string) => void,
): Promise<TravelTimes | null> {
  if (settings.routingUrl !== null) return openOsrm(settings.routingUrl);
  if (settings.roadsDir === null) return null;
  try {
    return await openRoads(settings.roadsDir);
  } catch (error) {
    onFailure(error instanceof Error ? error.message : String(error));
    return null;
  }
}
