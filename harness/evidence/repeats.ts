// Finds forbidden repeats. Only a node that dies between a response and its record may repeat a request.
import { isSuccess, type Arrival, type Evidence } from './evidence.ts';

/** Covers the clock difference between sender and receiver, and the network time. */
const TOLERANCE_MS = 1_000;
/** Maximum time from an arrival to the record of its success. */
const MAX_ATTEMPT_MS = 6_000;

/** Once a success is in the log, no node may send the event again. */
export function findSentAfterSuccess({ events, arrivals, clockSpeed, clockSteps }: Evidence): string[] {
  const byBody = Map.groupBy(arrivals, (arrival) => arrival.body);
  return events.flatMap(({ id, body, deliveredAt }) => {
    const own = byBody.get(body) ?? [];
    // While the wall clock is shifted, the log cannot be compared with real time.
    if (deliveredAt === null || own.some((arrival) => isAmid(clockSteps, arrival))) return [];
    const recordedAt = clockSpeed.since + (deliveredAt - clockSpeed.since) / clockSpeed.factor;
    const again = own.find((arrival) => arrival.at > recordedAt + TOLERANCE_MS);
    if (again === undefined) return [];
    // Both times are shown because they reveal which fault was active.
    const [recorded, sent] = [recordedAt, again.at].map((at) => ((at - clockSpeed.since) / 1_000).toFixed(1));
    return [`event ${id} was sent again after its success was recorded (recorded at ${recorded} s, sent at ${sent} s)`];
  });
}

function isAmid(steps: Evidence['clockSteps'], { at }: Arrival): boolean {
  const from = steps[0]?.from ?? Number.POSITIVE_INFINITY;
  return at >= from - MAX_ATTEMPT_MS && at <= (steps.at(-1)?.to ?? from);
}

/** A node that stops gracefully finishes and records the attempts in flight. */
export function findRepeatedByOrderlyStops({ arrivals, receivers, orderlyStops }: Evidence): string[] {
  const good = new Set(receivers.filter((receiver) => receiver.answersWell).map((receiver) => receiver.name));
  const byBody = Map.groupBy(
    arrivals.filter((arrival) => good.has(arrival.receiver)),
    (arrival) => arrival.body,
  );
  return [...byBody.values()].flatMap((own) => {
    const index = own.findIndex((arrival) => isSuccess(arrival) && isWithin(orderlyStops, arrival));
    return index === -1 || index === own.length - 1 ? [] : [`repeated after a graceful stop: ${own[index]?.body}`];
  });
}

function isWithin(spans: Evidence['orderlyStops'], { at, answeredAt }: Arrival): boolean {
  return spans.some(({ from, to }) => at >= from && answeredAt !== null && answeredAt <= to - TOLERANCE_MS);
}
