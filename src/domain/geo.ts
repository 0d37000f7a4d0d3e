// Places on the globe and the distances between them.

export interface Place {
  latitude: number;
  longitude: number;
}

/** Systems send latitude 0, longitude 0 for a location that was never filled in. */
export function toPlace(latitude: number | null, longitude: number | null): Place | null {
  if (latitude === null || longitude === null || (latitude === 0 && longitude === 0)) return null;
  return { latitude, longitude };
}

const EARTH_RADIUS_METERS = 6_371_008.8;

/** Great-circle distance. */
export function distanceMeters(from: Place, to: Place): number {
  const north = toRadians(to.latitude - from.latitude);
  const east = toRadians(to.longitude - from.longitude);
  const across = Math.cos(toRadians(from.latitude)) * Math.cos(toRadians(to.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(Math.sin(north / 2) ** 2 + across)));
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
