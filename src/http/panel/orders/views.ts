// Orders as sent to pages.
import { findIssues } from '../../../contract/integrator/orders/issues.ts';
import type { AttemptEntry, TimelineAnswer, TimelineEntry } from '../../../contract/panel/orders/timeline.ts';
import type { BoardOrder, OrderDetail } from '../../../contract/panel/orders/orders.ts';
import type { JsonObject, JsonValue } from '../../../domain/canonical-json.ts';
import { readContentFacts } from '../../../domain/orders/content-facts.ts';
import { offerCommands } from '../../../domain/orders/available-commands.ts';
import { formatUtc } from '../../../domain/time.ts';
import type { Queryable } from '../../../store/database/database.ts';
import { listDeliveriesOfOrder } from '../../../store/webhooks/delivery-log.ts';
import { openSecret } from '../../../store/webhooks/endpoints.ts';
import { listEventsOfOrder, type StoredEvent } from '../../../store/orders/events.ts';
import { listAttemptsOfOrder, type LoggedAttempt } from '../../../store/webhooks/order-attempts.ts';
import { findOrderById, listOrderHistory } from '../../../store/orders/orders.ts';
import type { OrderCard } from '../../../store/orders/board.ts';
import { listOrderPlans } from '../../../store/planning/plans.ts';
import type { PanelDeps } from '../route.ts';

export function toBoardOrder(card: OrderCard): BoardOrder {
  return {
    ...card,
    createdAt: formatUtc(card.createdAt),
    changedAt: formatUtc(card.changedAt),
    wantedAt: formatUtc(card.wantedAt),
    deadlineAt: formatUtc(card.deadlineAt),
    courierAcceptedAt: formatUtc(card.courierAcceptedAt),
    kitchenReadyAt: formatUtc(card.kitchenReadyAt),
    pickupAt: formatUtc(card.pickupAt),
    dropoffAt: formatUtc(card.dropoffAt),
  };
}

type StoredIssue = OrderDetail['issues'][number];

export async function toOrderDetail(db: Queryable, card: OrderCard): Promise<OrderDetail | undefined> {
  const [view, [plan]] = await Promise.all([findOrderById(db, card.id), listOrderPlans(db, [card.id])]);
  if (view === undefined) return undefined;
  const { cancellation, courier } = view;
  const waiting = plan?.explanation?.kind === 'waiting' ? plan.explanation : null;
  return {
    ...toBoardOrder(card),
    content: view.content,
    warnings: view.warnings,
    issues: view.issues.filter(isIssue),
    courierPhone: courier?.phone ?? null,
    courierPhotoAt: formatUtc(courier?.photoAt ?? null),
    isErased: view.isErased,
    cancellation: cancellation && { ...cancellation, at: formatUtc(cancellation.at) },
    wait: waiting && { reason: waiting.reason, until: waiting.until },
    commands: offerCommands(card, 'restaurant'),
  };
}

function isIssue(issue: JsonValue): issue is JsonObject & StoredIssue {
  return typeof issue === 'object' && issue !== null && !Array.isArray(issue) && typeof issue['code'] === 'string';
}

/** What an order still lacks after a fix. Content is not validated again: an earlier version may have accepted more. */
export function findIssuesOf(content: JsonObject): readonly JsonValue[] {
  const { pickup, dropoff } = readContentFacts(content);
  const issues = findIssues({
    ...(pickup !== null && { pickup: { location: pickup } }),
    ...(dropoff !== null && { dropoff: { location: dropoff } }),
  });
  return issues.map((issue) => ({ ...issue }));
}

export async function describeTimeline(
  deps: Pick<PanelDeps, 'db' | 'vault' | 'headersFor'>,
  card: Pick<OrderCard, 'id' | 'createdAt'>,
): Promise<TimelineAnswer> {
  // Read before the rest: once all deliveries have ended, a page stops polling for attempts and must have them all.
  const deliveries = await listDeliveriesOfOrder(deps.db, card.id);
  const [events, history, attempts] = await Promise.all([
    listEventsOfOrder(deps.db, card.id),
    listOrderHistory(deps.db, card.id),
    listAttemptsOfOrder(deps.db, card.id),
  ]);
  const byId = new Map(events.map((event) => [event.id, event]));
  const entries: TimelineEntry[] = [
    { kind: 'placed', at: formatUtc(card.createdAt) },
    ...events
      .filter((event) => event.type === 'order.status_changed')
      .map(({ occurredAt, from, to, actor }) => ({
        kind: 'state' as const,
        at: formatUtc(occurredAt),
        from,
        to,
        actor,
      })),
    ...history.map(({ at, kind, actor, courierName, detail }) => ({
      kind: 'note' as const,
      at: formatUtc(at),
      note: kind,
      actor,
      courier: courierName,
      detail: isPlannersReason(kind, actor) ? null : detail,
    })),
    ...attempts.map((attempt) => toAttempt(deps, attempt, byId.get(attempt.eventId))),
  ];
  return {
    // The sort is stable, so entries of the same millisecond keep the order above.
    entries: entries.sort((left, right) => Date.parse(left.at) - Date.parse(right.at)),
    deliveries: deliveries.map((delivery) => ({
      eventId: delivery.id,
      type: delivery.type,
      endpoint: delivery.endpoint,
      state: delivery.state,
      attempts: delivery.attempts,
      nextAttemptAt: formatUtc(delivery.dueAt),
      body: byId.get(delivery.id)?.body ?? '',
    })),
  };
}

/** It contains what the courier and the next best cost the plan, in minutes, and so reveals how far away they are. */
function isPlannersReason(kind: string, actor: string): boolean {
  return actor === 'planner' && (kind === 'courier_offered' || kind === 'courier_attached');
}

function toAttempt(
  deps: Pick<PanelDeps, 'vault' | 'headersFor'>,
  logged: LoggedAttempt,
  event: Pick<StoredEvent, 'version' | 'body'> | undefined,
): AttemptEntry {
  const { secretId, sealedSecret, startedAt, nextAttemptAt, metadataAt, ...facts } = logged;
  const { version = 0, body = '' } = event ?? {};
  const headers = deps.headersFor(
    { eventId: logged.eventId, attempts: logged.number - 1, version, body },
    { secret: openSecret(deps.vault, logged), hasMetadata: metadataAt !== null },
    metadataAt ?? startedAt,
  );
  const signed = sealedSecret === null ? 'secret-replaced' : 'recomputed';
  return {
    kind: 'attempt',
    ...facts,
    at: formatUtc(startedAt),
    nextAttemptAt: formatUtc(nextAttemptAt),
    signature: secretId === null ? 'none' : signed,
    headers,
  };
}
