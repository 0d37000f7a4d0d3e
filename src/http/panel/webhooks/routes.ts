// Webhook routes for restaurants: the log, the backlog, figures, the signature debugger, the receiver check.
import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StartedCheck } from '../../../actions/webhooks/check-receiver.ts';
import { discardDelivery } from '../../../actions/webhooks/discard-delivery.ts';
import { resendFailed } from '../../../actions/webhooks/resend-failed.ts';
import { receiverCheckApi, type ReceiverCheckLine } from '../../../contract/panel/webhooks/receiver-check.ts';
import type { QueryOf } from '../../../contract/panel/routes.ts';
import { webhooksApi, type LogAnswer, type WebhookDetail } from '../../../contract/panel/webhooks/webhooks.ts';
import { webhookHealthApi } from '../../../contract/panel/webhooks/health.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { diagnoseSignature } from '../../../domain/webhooks/signature-diagnosis.ts';
import { countFailedSince } from '../../../store/webhooks/delivery-log.ts';
import { listEndpoints, findSealedSecret, openSecret } from '../../../store/webhooks/endpoints.ts';
import { listWaitingLog } from '../../../store/webhooks/waiting.ts';
import {
  findOrderOfEvent,
  findMatchingOrderIds,
  listAttemptLog,
  listAttemptLogOfOrders,
  type LogPage,
} from '../../../store/webhooks/log.ts';
import { ok } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { describeTimeline } from '../orders/views.ts';
import { restaurantRoute, type PanelDeps } from '../route.ts';

const LINES = { 'content-type': 'application/x-ndjson; charset=utf-8', 'x-accel-buffering': 'no' };
const PAGE_SIZE = 50;
const UNKNOWN = refuse('PANEL_001');

const readRoutes = [
  restaurantRoute(webhooksApi.search, {
    handler: async (deps, { session, query }) => {
      const page = await readLog(deps, session.restaurantId, query);
      return ok(describePage(page));
    },
  }),
  restaurantRoute(webhookHealthApi.read, {
    handler: async (deps, { session }) => ok(await deps.webhooks.readHealth(session.restaurantId)),
  }),
  restaurantRoute(webhooksApi.readFigures, {
    sample: { query: { range: '24h' } },
    handler: async (deps, { session, query }) => ok(await deps.webhooks.readFigures(session.restaurantId, query.range)),
  }),
  restaurantRoute(webhooksApi.countFailed, {
    sample: { query: { since: '2026-03-01T12:00:00Z' } },
    handler: async (deps, { session, query }) => {
      const count = await countFailedSince(deps.db, session.restaurantId, query.since);
      return ok({ count });
    },
  }),
  restaurantRoute(webhooksApi.read, {
    handler: async (deps, { session, params }) => {
      const detail = await readDetail(deps, session.restaurantId, params.eventId);
      return detail === undefined ? refused(UNKNOWN) : ok(detail);
    },
  }),
];

const changeRoutes = [
  restaurantRoute(webhooksApi.resendFailed, {
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const result = await resendFailed(deps, { restaurantId, since: body.since, actor });
      return result.kind === 'refused' ? result : ok({ count: result.count });
    },
  }),
  restaurantRoute(webhooksApi.discard, {
    roles: ['owner'],
    handler: async (deps, { session: { restaurantId, actor }, params: { eventId } }) => {
      const result = await discardDelivery(deps, { eventId, scope: { restaurantId }, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  // Owners only: a user who can have any body signed can impersonate Waybill to the restaurant's receiver.
  restaurantRoute(webhooksApi.checkSignature, {
    roles: ['owner'],
    handler: async (deps, { session, body }) => {
      const open = async (state: 'active' | 'pending'): Promise<string | null> => {
        const sealed = await findSealedSecret(deps.db, session.restaurantId, state);
        return sealed === undefined ? null : openSecret(deps.vault, sealed);
      };
      const secret = body.secret ?? (await open('active'));
      if (secret === null) {
        return refused(
          refuse('PANEL_002', 'There is no webhook secret, so webhooks are not signed. Create one first.'),
        );
      }
      const pendingSecret = body.secret === undefined ? await open('pending') : null;
      const evidence = { body: body.body, received: body.signature, secret, pendingSecret };
      return ok(diagnoseSignature(evidence, TOOLS));
    },
  }),
  restaurantRoute(receiverCheckApi.run, {
    roles: ['owner'],
    handler: async (deps, { session: { restaurantId, actor }, body: { endpoint } }) => {
      const check = await deps.webhooks.checker.start({ restaurantId, endpoint, actor });
      if (check.kind === 'refused') return check;
      return { kind: 'stream', stream: Readable.from(streamCheck(check)), headers: LINES };
    },
  }),
];

export const webhookRoutes = [...readRoutes, ...changeRoutes];

const TOOLS = {
  sign: (body: string, key: string | Uint8Array) => createHmac('sha256', key).update(body).digest('hex'),
  decodeBase64: (text: string) => Buffer.from(text, 'base64'),
  hexToBase64: (hex: string) => Buffer.from(hex, 'hex').toString('base64'),
};

async function readLog(
  deps: PanelDeps,
  restaurantId: string,
  query: QueryOf<typeof webhooksApi.search>,
): Promise<LogPage> {
  const { endpoint = null, from = null, until = null, before = null, outcome = null, order } = query;
  const scope = { restaurantId, endpoint, from, until, before, limit: PAGE_SIZE };
  const orderIds = order === undefined ? null : await findMatchingOrderIds(deps.db, restaurantId, order);
  if (orderIds?.length === 0) return { rows: [], next: null, searchedBackTo: null };
  if (outcome === 'waiting' || outcome === 'held') {
    return listWaitingLog(deps.db, { ...scope, kind: outcome, orderIds });
  }
  return orderIds === null
    ? listAttemptLog(deps.db, { ...scope, outcome })
    : listAttemptLogOfOrders(deps.db, { ...scope, outcome, orderIds });
}

function describePage({ rows, next, searchedBackTo }: LogPage): LogAnswer {
  return {
    entries: rows.map(({ cursor, at, nextAttemptAt, ...row }) => ({
      ...row,
      key: `${row.outcome} ${cursor}`,
      at: formatUtc(at),
      nextAttemptAt: formatUtc(nextAttemptAt),
    })),
    next: next === null ? null : String(next),
    searchedBackTo: formatUtc(searchedBackTo),
  };
}

async function readDetail(deps: PanelDeps, restaurantId: string, eventId: string): Promise<WebhookDetail | undefined> {
  const order = await findOrderOfEvent(deps.db, restaurantId, eventId);
  if (order === undefined) return undefined;
  const [timeline, endpoints] = await Promise.all([
    describeTimeline(deps, order),
    listEndpoints(deps.db, restaurantId),
  ]);
  const delivery = timeline.deliveries.find((candidate) => candidate.eventId === eventId);
  if (delivery === undefined) return undefined;
  const { id, orderId, orderNumber } = order;
  return {
    order: { id, orderId, orderNumber },
    delivery,
    attempts: timeline.entries.filter((entry) => entry.kind === 'attempt').filter((entry) => entry.eventId === eventId),
    url: endpoints.find(({ kind }) => kind === delivery.endpoint)?.url ?? null,
  };
}

async function* streamCheck({ url, cases, results }: StartedCheck): AsyncGenerator<string> {
  const line = (news: ReceiverCheckLine): string => `${JSON.stringify(news)}\n`;
  yield line({ kind: 'begun', url, cases: [...cases] });
  for await (const result of results) yield line({ kind: 'case', ...result });
  yield line({ kind: 'done' });
}
