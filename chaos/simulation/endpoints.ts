// How the simulated receivers behave over the simulated days.
import { HOUR_MS } from '../../src/domain/time.ts';
import type { Chance } from '../../harness/chance.ts';

export type Behavior = 'healthy' | 'slow' | 'flaky' | 'refusing' | 'failing' | 'hanging' | 'late';

interface Outage {
  until: number;
  behavior: Behavior;
}

export interface SimulatedEndpoint {
  restaurantId: string;
  /** Always healthy, so its deliveries must arrive in time regardless of the other endpoints. */
  isAlwaysHealthy: boolean;
  /** Periods of bad behavior; the endpoint is healthy after the last one. */
  outages: Outage[];
}

export interface Reaction {
  /** Null if the endpoint does not answer. */
  status: number | null;
  afterMs: number;
}

export const BAD_BEHAVIORS: readonly Behavior[] = ['slow', 'flaky', 'refusing', 'failing', 'hanging', 'late'];
const LENGTHS_MS = [30_000, 10 * 60_000, HOUR_MS, 6 * HOUR_MS, 30 * HOUR_MS];

export function drawEndpoint(
  chance: Chance,
  restaurantId: string,
  span: { from: number; to: number; behaviors: readonly Behavior[] },
): SimulatedEndpoint {
  const isAlwaysHealthy = restaurantId.endsWith('0') || chance.isTrue(0.2);
  const endpoint: SimulatedEndpoint = { restaurantId, isAlwaysHealthy, outages: [] };
  if (isAlwaysHealthy) return endpoint;
  for (let at = span.from; at < span.to;) {
    at += Math.floor(chance.pick(LENGTHS_MS) * (0.2 + chance.below(100) / 100));
    endpoint.outages.push({
      until: Math.min(at, span.to),
      behavior: chance.isTrue(0.4) ? 'healthy' : chance.pick(span.behaviors),
    });
  }
  return endpoint;
}

export function behaviorAt(endpoint: SimulatedEndpoint, at: number): Behavior {
  return endpoint.outages.find((outage) => at < outage.until)?.behavior ?? 'healthy';
}

export function drawReaction(chance: Chance, behavior: Behavior): Reaction {
  switch (behavior) {
    case 'healthy':
      return { status: 200, afterMs: 5 + chance.below(60) };
    case 'slow':
      return { status: 204, afterMs: 500 + chance.below(4_300) };
    case 'flaky':
      return chance.isTrue(0.5) ? { status: 200, afterMs: chance.below(900) } : { status: 503, afterMs: 20 };
    case 'refusing':
      return { status: null, afterMs: 1 + chance.below(10) };
    case 'failing':
      return { status: chance.pick([301, 400, 401, 410, 429, 500]), afterMs: chance.below(300) };
    case 'late':
      return { status: 200, afterMs: 4_800 + chance.below(500) };
    case 'hanging':
      return { status: null, afterMs: Number.POSITIVE_INFINITY };
  }
}
