// Travel times from a routing service with OSRM's `table` API.
import { z } from 'zod';
import type { Vehicle } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import { NO_ROUTE, type TravelTile, type TravelTimes } from './travel-times.ts';

/** Planning does not wait for the answer, but a connection must not stay open indefinitely. */
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The names that OSRM installations commonly give their profiles. */
const PROFILES: Record<Vehicle, string> = { FOOT: 'foot', BICYCLE: 'bike', MOTORCYCLE: 'driving', CAR: 'driving' };

const ANSWER = z.object({ code: z.literal('Ok'), durations: z.array(z.array(z.number().nullable())) });

export function openOsrm(url: string): TravelTimes {
  const service = readServiceUrl(url);
  return { name: 'roads (remote)', measure: (tile) => measure(service, tile) };
}

interface RoutingService {
  base: string;
  headers: Record<string, string>;
}

/** `fetch` rejects a URL with credentials, and its error would log them, so they are sent in a header. */
function readServiceUrl(text: string): RoutingService {
  const url = new URL(text);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const headers: RoutingService['headers'] =
    credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return { base: url.href.replace(/\/+$/, ''), headers };
}

async function measure(service: RoutingService, { vehicle, sources, targets }: TravelTile): Promise<Int32Array> {
  const coordinates = [...sources, ...targets].map(write).join(';');
  const from = sources.map((_, index) => index).join(';');
  const to = targets.map((_, index) => sources.length + index).join(';');
  const address = `${service.base}/table/v1/${PROFILES[vehicle]}/${coordinates}?sources=${from}&destinations=${to}&annotations=duration`;
  const reading = ANSWER.safeParse(JSON.parse(await ask(address, service.headers)));
  if (!reading.success) throw new Error('the response of the routing service is not a table of durations');
  return Int32Array.from(reading.data.durations.flat(), (seconds) =>
    seconds === null ? NO_ROUTE : Math.round(seconds),
  );
}

async function ask(address: string, headers: Record<string, string>): Promise<string> {
  // One deadline for the whole request, so that it also limits a slow body.
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(address, { headers, signal, redirect: 'manual' }).catch((error: unknown) => {
    throw signal.aborted ? error : new Error(`the routing service cannot be reached: ${reasonOf(error)}`);
  });
  if (answer.status === 200) return readText(answer.body ?? []);
  await answer.body?.cancel();
  throw new Error(`the routing service responded with status ${answer.status}`);
}

async function readText(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) throw new Error('the response of the routing service is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The error of `fetch` says only that it failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  // For a name with several addresses, `fetch` fails with an AggregateError whose message is empty.
  if (cause instanceof AggregateError && 'code' in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}

function write({ latitude, longitude }: Place): string {
  return `${longitude.toFixed(6)},${latitude.toFixed(6)}`;
}
