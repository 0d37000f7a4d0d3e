// Parses coordinates typed by users. Pure.

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Undefined for invalid input. Accepts a decimal comma, as used in most of Europe. */
export function readCoordinates(latitude: string, longitude: string): Coordinates | undefined {
  const north = readDegrees(latitude, 90);
  const east = readDegrees(longitude, 180);
  return north === undefined || east === undefined ? undefined : { latitude: north, longitude: east };
}

function readDegrees(text: string, most: number): number | undefined {
  const trimmed = text.trim().replace(',', '.');
  if (!/^[-−]?\d{1,3}(\.\d+)?$/.test(trimmed)) return undefined;
  const degrees = Number(trimmed.replace('−', '-'));
  return Math.abs(degrees) <= most ? degrees : undefined;
}

const DECIMALS = 6;

/** Six decimals are about a tenth of a meter. */
export function showDegrees(degrees: number): string {
  return String(Number(degrees.toFixed(DECIMALS)));
}
