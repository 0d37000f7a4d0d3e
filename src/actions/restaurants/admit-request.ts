// Enforces a restaurant's rate limit across all nodes. Concurrent requests are admitted by one statement. A server that
// answers but cannot use the table of the limits does not keep orders out: the node then counts its own requests.
import { DatabaseError } from 'pg';
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Clock, Log } from '../../platform.ts';
import { DatabaseUnavailable, StandbyUnavailable, type Queryable } from '../../store/database/database.ts';
import { admitRequests, type RateRequest } from '../../store/restaurants/rate-limits.ts';
import { createGroup } from '../../store/database/group-commit.ts';
import { createNodeRateWindows } from './node-rate-windows.ts';

type Limited = Pick<Restaurant, 'id' | 'rateLimitPerMinute'>;

export interface RequestAdmission {
  /** False: the restaurant has used up its limit for this minute. */
  admit(restaurant: Limited): Promise<boolean>;
}

interface Deps {
  db: Queryable;
  clock: Clock;
  log?: Log;
}

/** A used-up window. Until it ends the answer stays the same, so the database isn't queried. */
interface SpentWindow {
  startedAt: Instant;
  limitPerMinute: number;
}

const MAX_REQUESTS_PER_STATEMENT = 1_000;
const MAX_SPENT_WINDOWS = 10_000;
const NO = Promise.resolve(false);
const YES = Promise.resolve(true);
/**
 * The share of a large limit that a node may count in advance, so that thousands of requests a second don't cost
 * thousands of queries. The unused rest is lost until the minute ends; a limit below 1,000 is counted one by one.
 */
const SHARE_HELD = 0.001;
const MAX_HELD = 200;

/** Requests that were counted in advance. */
interface HeldRequests extends SpentWindow {
  left: number;
}

export function createRequestAdmission(deps: Deps): RequestAdmission {
  const spent = new Map<string, SpentWindow>();
  const held = new Map<string, HeldRequests>();
  const nodeWindows = createNodeRateWindows(deps.clock);
  const ask = createGroup<Limited, boolean>({
    maxSize: MAX_REQUESTS_PER_STATEMENT,
    concurrency: 1,
    async run(restaurants) {
      try {
        return await admitTogether(deps, restaurants, { spent, held });
      } catch (error) {
        if (isUnreachable(error)) throw error;
        deps.log?.warn({ event: 'rate_limit.counted_by_node', reason: String(error) });
        return restaurants.map((restaurant) => nodeWindows.admit(restaurant));
      }
    },
  });
  return {
    admit(restaurant) {
      const now = deps.clock.now();
      if (isSpent(spent, restaurant, now)) return NO;
      return takeHeld(held, restaurant, now) ? YES : ask(restaurant);
    },
  };
}

/** The server gave no answer, so nothing else works either. Without its standby, reads do. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable) || error instanceof StandbyUnavailable) return false;
  return !(error.cause instanceof DatabaseError);
}

function takeHeld(held: Map<string, HeldRequests>, restaurant: Limited, now: Instant): boolean {
  const entry = held.get(restaurant.id);
  if (entry === undefined) return false;
  const isRunning = now >= entry.startedAt && now < entry.startedAt + MINUTE_MS;
  if (!isRunning || entry.left === 0 || entry.limitPerMinute !== restaurant.rateLimitPerMinute) {
    held.delete(restaurant.id);
    return false;
  }
  entry.left -= 1;
  return true;
}

function isSpent(spent: Map<string, SpentWindow>, restaurant: Limited, now: Instant): boolean {
  const window = spent.get(restaurant.id);
  if (window === undefined) return false;
  const isRunning = now >= window.startedAt && now < window.startedAt + MINUTE_MS;
  if (isRunning && restaurant.rateLimitPerMinute <= window.limitPerMinute) return true;
  spent.delete(restaurant.id);
  return false;
}

async function admitTogether(
  deps: Deps,
  restaurants: readonly Limited[],
  { spent, held }: { spent: Map<string, SpentWindow>; held: Map<string, HeldRequests> },
): Promise<boolean[]> {
  const asked = new Map<string, RateRequest>();
  for (const { id, rateLimitPerMinute } of restaurants) {
    const entry = asked.get(id) ?? { restaurantId: id, wanted: 0, limitPerMinute: rateLimitPerMinute };
    entry.wanted += 1;
    asked.set(id, entry);
  }
  const ahead = (limitPerMinute: number): number => Math.min(MAX_HELD, Math.floor(limitPerMinute * SHARE_HELD));
  const wantedNow = [...asked.values()].map((entry) => ({
    ...entry,
    wanted: entry.wanted + ahead(entry.limitPerMinute),
  }));
  const answers = await admitRequests(deps.db, wantedNow, deps.clock.now());
  for (const [id, answer] of answers) {
    const { wanted, limitPerMinute } = asked.get(id) ?? { wanted: 0, limitPerMinute: 0 };
    const window = { startedAt: answer.windowStartedAt, limitPerMinute };
    if (answer.admitted < wanted) remember(spent, id, window);
    else held.set(id, { ...window, left: answer.admitted - wanted });
  }
  // First come, first served.
  return restaurants.map(({ id }) => {
    const answer = answers.get(id);
    if (answer === undefined || answer.admitted === 0) return false;
    answer.admitted -= 1;
    return true;
  });
}

function remember(spent: Map<string, SpentWindow>, restaurantId: string, window: SpentWindow): void {
  if (spent.size >= MAX_SPENT_WINDOWS) spent.clear();
  spent.set(restaurantId, window);
}
