// Checks the times of arrivals: first attempts in order, retries never early.
import { isSuccess, type Arrival, type Evidence } from './evidence.ts';

const MINUTE_MS = 60_000;
// Typed by hand from contract 6.4; the last wait repeats indefinitely.
const WAITS_MS = [1, 5, 15, 60, 240, 1_440].map((minutes) => minutes * MINUTE_MS);
/** Sender and receiver both round to whole milliseconds. */
const TOLERANCE_MS = 3;
const PROMPT_MS = 3_000;

/** First attempts for one order and endpoint must arrive in the order of the events. */
export function findOvertakings({ events, arrivals }: Pick<Evidence, 'events' | 'arrivals'>): string[] {
  const eventsByBody = new Map(events.map((event) => [event.body, event]));
  const newest = new Map<string, number>();
  const known = new Set<string>();
  return arrivals.flatMap(({ body, endpoint, receiver }) => {
    const event = eventsByBody.get(body);
    if (event === undefined || known.has(body)) return [];
    known.add(body);
    const lane = `${event.orderId} ${endpoint}`;
    const last = newest.get(lane) ?? 0;
    newest.set(lane, Math.max(last, event.version));
    if (event.version >= last) return [];
    const count = arrivals.filter((arrival) => arrival.body === body).length;
    const seen = `${count} arrivals at ${receiver}, ${event.attempts} attempts in the log`;
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
 * A node that dies after an attempt but before recording it causes a repeat, so each arrival missing from the log
 * allows one short wait. If the log is complete, every wait must be at least as long as the retry schedule says.
 */
function isEarly(waitsMs: readonly (number | null)[], unrecorded: number): boolean {
  const short = waitsMs.filter((waitMs, index) => {
    const wantedMs = WAITS_MS[unrecorded === 0 ? Math.min(index, WAITS_MS.length - 1) : 0] ?? 0;
    return waitMs !== null && waitMs < wantedMs;
  });
  return short.length > unrecorded;
}

/** From the end of each attempt to the next arrival, on the service's clock; null if the wait cannot be judged. */
function waitsOf(arrivals: readonly Arrival[], { clockSpeed, clockSteps }: Evidence): (number | null)[] {
  return arrivals.slice(1).map((arrival, index) => {
    const before = arrivals[index];
    // An arrival after a success is a repeat caused by a lost record, not a retry.
    if (before === undefined || isSuccess(before)) return null;
    const failedAt = endOf(before);
    // Nodes trust a clock that is set forward. Setting it back makes nothing due, but nodes notice it at different
    // times: to a node that has not noticed yet, a failure that another node just recorded looks hours old.
    const forwardMs = clockSteps
      .filter(({ from, to, byMs }) => failedAt < to && arrival.at > from && (byMs > 0 || arrival.at < to))
      .reduce((sum, { byMs }) => sum + Math.abs(byMs), 0);
    return (arrival.at - failedAt + TOLERANCE_MS + forwardMs) * clockSpeed.factor;
  });
}

/** A lower bound for when the sender ended the attempt: it may have timed out before a late response. */
function endOf({ at, answeredAt }: Arrival): number {
  return answeredAt === null || answeredAt - at > PROMPT_MS ? at : answeredAt;
}
