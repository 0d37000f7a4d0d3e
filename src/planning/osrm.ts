// Travel times from a routing service with OSRM's `table` interface.
import { request } from 'undici';
import { z } from 'zod';
import type { Vehicle } from '../domain/courier.ts';
import type { Place } from '../domain/geo.ts';
import { NO_WAY, type TravelTile, type TravelTimes } from './travel-times.ts';

/** Planning does not wait for it, but a connection must not be held for ever. */
const TIMEOUT_MS = 3_000;
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** The names that OSRM installations commonly give their profiles. */
const PROFILES: Record<Vehicle, string> = { FOOT: 'foot', BICYCLE: 'bike', MOTORCYCLE: 'driving', CAR: 'driving' };

const ANSWER = z.object({ code: z.literal('Ok'), durations: z.array(z.array(z.number().nullable())) });

export function openOsrm(url: string): TravelTimes {
  const base = url.replace(/\/+$/, '');
  return { name: 'roads (remote)', measure: (tile) => measure(base, tile) };
}

async function measure(base: string, { vehicle, sources, targets }: TravelTile): Promise<Int32Array> {
  const coordinates = [...sources, ...targets].map(write).join(';');
  const from = sources.map((_, index) => index).join(';');
  const to = targets.map((_, index) => sources.length + index).join(';');
  const address = `${base}/table/v1/${PROFILES[vehicle]}/${coordinates}?sources=${from}&destinations=${to}&annotations=duration`;
  // One clock for everything: a body that drips in must not outlast it either.
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await request(address, { signal, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const text = await readText(answer.body);
  if (answer.statusCode !== 200) throw new Error(`the routing service answered ${answer.statusCode}`);
  const reading = ANSWER.safeParse(JSON.parse(text));
  if (!reading.success) throw new Error('the routing service gave an answer that is no table of durations');
  return Int32Array.from(reading.data.durations.flat(), (seconds) => (seconds === null ? NO_WAY : Math.round(seconds)));
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MOST_ANSWER_BYTES) throw new Error('the answer of the routing service is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function write({ latitude, longitude }: Place): string {
  return `${longitude.toFixed(6)},${latitude.toFixed(6)}`;
}
