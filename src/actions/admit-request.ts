// The rate limit of a restaurant, exact however many nodes it calls. Requests that arrive together are admitted by
// one statement.
import type { Restaurant } from '../domain/restaurant.ts';
import { MINUTE_MS, type Instant } from '../domain/time.ts';
import type { Clock } from '../platform.ts';
import type { Queryable } from '../store/database.ts';
import { admitRequests, type AskedRequests } from '../store/rate-limits.ts';
import { createGroup } from './group.ts';

type Limited = Pick<Restaurant, 'id' | 'rateLimitPerMinute'>;

export interface RequestAdmission {
  /** False: the restaurant has used up its minute. */
  admit(restaurant: Limited): Promise<boolean>;
}

interface Deps {
  db: Queryable;
  clock: Clock;
}

/** A window of which nothing is left. Until it ends, every node would answer the same, so nobody needs to ask. */
interface SpentWindow {
  startedAt: Instant;
  limitPerMinute: number;
}

const MOST_REQUESTS_A_STATEMENT = 1_000;
const MOST_SPENT_WINDOWS = 10_000;
const NO = Promise.resolve(false);

export function createRequestAdmission(deps: Deps): RequestAdmission {
  const spent = new Map<string, SpentWindow>();
  const ask = createGroup<Limited, boolean>({
    maxSize: MOST_REQUESTS_A_STATEMENT,
    concurrency: 1,
    run: (restaurants) => admitTogether(deps, restaurants, spent),
  });
  return { admit: (restaurant) => (isSpent(spent, restaurant, deps.clock.now()) ? NO : ask(restaurant)) };
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
  spent: Map<string, SpentWindow>,
): Promise<boolean[]> {
  const asked = new Map<string, AskedRequests>();
  for (const { id, rateLimitPerMinute } of restaurants) {
    const entry = asked.get(id) ?? { restaurantId: id, wanted: 0, limitPerMinute: rateLimitPerMinute };
    entry.wanted += 1;
    asked.set(id, entry);
  }
  const answers = await admitRequests(deps.db, [...asked.values()], deps.clock.now());
  for (const [id, { admitted, windowStartedAt }] of answers) {
    const { wanted, limitPerMinute } = asked.get(id) ?? { wanted: 0, limitPerMinute: 0 };
    if (admitted < wanted) remember(spent, id, { startedAt: windowStartedAt, limitPerMinute });
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
  if (spent.size >= MOST_SPENT_WINDOWS) spent.clear();
  spent.set(restaurantId, window);
}
