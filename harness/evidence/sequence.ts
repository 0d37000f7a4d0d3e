// When things arrived: first attempts in order, retries never early.
import { isSuccess, type Arrival, type Evidence } from './evidence.ts';

const MINUTE_MS = 60_000;
// Contract 6.4, typed from there; the last one for ever after.
const WAITS_MS = [1, 5, 15, 60, 240, 1_440].map((minutes) => minutes * MINUTE_MS);
/** The receiver's clock counts whole milliseconds, and so does the sender's. */
const TOLERANCE_MS = 3;
const PROMPT_MS = 3_000;

/** First attempts of one order leave for one endpoint in the order of its events. */
export function findOvertakings({ events, arrivals }: Evidence): string[] {
  const eventsByBody = new Map(events.map((event) => [event.body, event]));
  const newest = new Map<string, number>();
  const known = new Set<string>();
  return arrivals.flatMap(({ body, endpoint, door }) => {
    const event = eventsByBody.get(body);
    if (event === undefined || known.has(body)) return [];
    known.add(body);
    const lane = `${event.orderId} ${endpoint}`;
    const last = newest.get(lane) ?? 0;
    newest.set(lane, Math.max(last, event.version));
    if (event.version >= last) return [];
    const count = arrivals.filter((arrival) => arrival.body === body).length;
    const seen = `${count} arrivals at ${door}, ${event.attempts} attempts in the log`;
    return [`version ${event.version} of ${event.orderId} first arrived after ${last}: ${seen}`];
  });
}

export function findEarlyAttempts(evidence: Evidence): string[] {
  const byBody = Map.groupBy(evidence.arrivals, (arrival) => arrival.body);
  return evidence.events.flatMap((event) => {
    const own = byBody.get(event.body) ?? [];
    const waitsMs = waitsOf(own, evidence);
    if (!isEarly(waitsMs, Math.max(0, own.length - event.attempts))) return [];
    const shown = waitsMs.map((waitMs) => (waitMs === null ? 'any' : `${(waitMs / 1_000).toFixed(1)} s`)).join(', ');
    return [`event ${event.id} was retried early, after waits of ${shown}`];
  });
}

/**
 * A node that dies after an attempt and before its record repeats that attempt, so each arrival beyond those in the
 * log allows one short wait. Where the log has them all, every wait must be as long as its step on the ladder.
 */
function isEarly(waitsMs: readonly (number | null)[], unrecorded: number): boolean {
  const short = waitsMs.filter((waitMs, index) => {
    const wantedMs = WAITS_MS[unrecorded === 0 ? Math.min(index, WAITS_MS.length - 1) : 0] ?? 0;
    return waitMs !== null && waitMs < wantedMs;
  });
  return short.length > unrecorded;
}

/** From the end of each attempt to the next arrival, on the service's clock; null where nothing can be said. */
function waitsOf(arrivals: readonly Arrival[], { hurry, clockSteps }: Evidence): (number | null)[] {
  return arrivals.slice(1).map((arrival, index) => {
    const before = arrivals[index];
    // What follows a success repeats it because its record was lost.
    if (before === undefined || isSuccess(before)) return null;
    const failedAt = endOf(before);
    // A clock that is set forward is believed. One that is set back makes nothing due; but not every node learns of it
    // in the same moment, and to one that has not yet, hours have passed since the failure that another wrote down.
    const forwardMs = clockSteps
      .filter(({ from, to, byMs }) => failedAt < to && arrival.at > from && (byMs > 0 || arrival.at < to))
      .reduce((sum, { byMs }) => sum + Math.abs(byMs), 0);
    return (arrival.at - failedAt + TOLERANCE_MS + forwardMs) * hurry.factor;
  });
}

/** No later than the sender's own end of the attempt: before a late answer it may have given up already. */
function endOf({ at, answeredAt }: Arrival): number {
  return answeredAt === null || answeredAt - at > PROMPT_MS ? at : answeredAt;
}
