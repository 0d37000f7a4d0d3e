// The service as a separate process: the program, and settings with which it can start anywhere.
import { randomBytes } from 'node:crypto';
import path from 'node:path';

export const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
/** A start takes a second, and many times that while other tests run at the same time. */
export const START_LIMIT_MS = 90_000;

export function serveSettings(place: { databaseUrl: string; folder: string }): Record<string, string> {
  return {
    DATABASE_URL: place.databaseUrl,
    WAYBILL_MASTER_KEY: randomBytes(32).toString('base64'),
    WAYBILL_DATA_DIR: path.join(place.folder, 'data'),
    WAYBILL_PORT: '0',
    WAYBILL_DRAIN_SECONDS: '0',
  };
}
