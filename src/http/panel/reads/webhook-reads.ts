// Reads for the webhook pages: all open pages of a node share one health query, figures are cached briefly, and
// recently started receiver checks are remembered.
import {
  createReceiverChecker,
  type CheckSender,
  type HeadersFor,
  type ReceiverChecker,
} from '../../../actions/webhooks/check-receiver.ts';
import type { AdministrationDeps } from '../../../actions/administration.ts';
import type { WebhookHealth } from '../../../contract/panel/webhooks/health.ts';
import type { FigureRange, FiguresAnswer } from '../../../contract/panel/webhooks/webhooks.ts';
import { formatUtc, HOUR_MS, SECOND_MS } from '../../../domain/time.ts';
import type { Database } from '../../../store/database/database.ts';
import { listEndpoints, listWebhookSecrets } from '../../../store/webhooks/endpoints.ts';
import { findRestaurant } from '../../../store/restaurants/restaurants.ts';
import { listEndpointQueues } from '../../../store/webhooks/waiting.ts';
import { listWebhookFigures, MAX_SAMPLED_PER_SPAN } from '../../../store/webhooks/figures.ts';
import { createShortCache } from './short-cache.ts';
import { createSharedReads } from './shared-reads.ts';

/** Short, because users who have changed something wait for it. */
const HEALTH_PAUSE_MS = SECOND_MS / 2;
const FIGURES_KEPT_MS = 30 * SECOND_MS;
const MAX_COUNTED = 10_000;
const SPANS: Record<FigureRange, { lengthMs: number; count: number }> = {
  '24h': { lengthMs: HOUR_MS, count: 24 },
  '7d': { lengthMs: 6 * HOUR_MS, count: 28 },
};

export interface WebhookReads {
  checker: ReceiverChecker;
  readHealth(restaurantId: string): Promise<WebhookHealth>;
  readFigures(restaurantId: string, range: FigureRange): Promise<FiguresAnswer>;
}

interface Deps extends AdministrationDeps {
  sender: CheckSender;
  headersFor: HeadersFor;
}

export function createWebhookReads(deps: Deps): WebhookReads {
  const health = createSharedReads<WebhookHealth>(deps.clock, HEALTH_PAUSE_MS);
  const figures = createShortCache<FiguresAnswer>(deps.clock, FIGURES_KEPT_MS);
  return {
    checker: createReceiverChecker(deps),
    readHealth: (restaurantId) => health.get(restaurantId, () => readHealth(deps.db, restaurantId)),
    readFigures: (restaurantId, range) =>
      figures.get(`${restaurantId} ${range}`, async () => {
        const span = SPANS[range];
        const until = Math.ceil(deps.clock.now() / span.lengthMs) * span.lengthMs;
        return describeFigures(await listWebhookFigures(deps.db, restaurantId, { ...span, until }));
      }),
  };
}

async function readHealth(db: Database, restaurantId: string): Promise<WebhookHealth> {
  const [restaurant, endpoints, queues, secrets] = await Promise.all([
    findRestaurant(db, restaurantId),
    listEndpoints(db, restaurantId),
    listEndpointQueues(db, restaurantId, MAX_COUNTED),
    listWebhookSecrets(db, restaurantId),
  ]);
  return {
    isEnabled: restaurant?.integrationEnabled ?? false,
    hasSecret: secrets.some(({ state }) => state === 'active'),
    hasPendingSecret: secrets.some(({ state }) => state === 'pending'),
    endpoints: endpoints.map(({ kind, url, lastError, ...endpoint }) => {
      const queue = queues.find((candidate) => candidate.endpoint === kind);
      return {
        endpoint: kind,
        url,
        lastError,
        failingSince: formatUtc(endpoint.failingSince),
        lastSuccessAt: formatUtc(endpoint.lastSuccessAt),
        nextAttemptAt: formatUtc(queue?.nextAttemptAt ?? null),
        waiting: queue?.waiting ?? 0,
        held: queue?.held ?? 0,
      };
    }),
    mostCounted: MAX_COUNTED,
  };
}

function describeFigures(spans: Awaited<ReturnType<typeof listWebhookFigures>>): FiguresAnswer {
  return {
    buckets: spans.map(({ from, until, delivered, failed, p50Ms, p95Ms }) => ({
      from: formatUtc(from),
      until: formatUtc(until),
      delivered,
      failed,
      p50Ms,
      p95Ms,
    })),
    sampledFrom: spans.some(({ isSampled }) => isSampled) ? MAX_SAMPLED_PER_SPAN : null,
  };
}
