// Places orders. Concurrent orders are committed together: one statement writes the orders and, where the System acts
// immediately, their first events and deliveries.
import { canonicalJson, differingFields, type JsonValue } from '../../domain/canonical-json.ts';
import { readContentFacts, writeContentFacts } from '../../domain/orders/content-facts.ts';
import type { OrderIdentity } from '../../domain/webhooks/events.ts';
import { decide, type Change, type Order, type OrderState } from '../../domain/orders/order.ts';
import { earliestDeadline, firstCommand, newOrder, withDeadline } from '../../domain/orders/placing.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database } from '../../store/database/database.ts';
import { listLeasedAmong } from '../../store/webhooks/deliveries.ts';
import { insertPlacedOrders, isOrderNumberTaken } from '../../store/orders/writes.ts';
import type { NewEvent, NewOrderRow } from '../../store/orders/write-columns.ts';
import { findExistingOrders, type ExistingOrder } from '../../store/orders/orders.ts';
import { createGroup } from '../../store/database/group-commit.ts';
import { createOrderNumbers, type OrderNumbers } from './order-numbers.ts';
import {
  dispatchNewDeliveries,
  draftEvents,
  reportTransition,
  type Outbox,
  type TransitionReport,
} from './event-outbox.ts';

export interface PlaceRequest {
  restaurant: Restaurant;
  orderId: string;
  /** The whole body: parsed, and as the bytes that were sent. */
  content: JsonValue;
  contentBytes: Uint8Array;
  /** When the customer wants the order; null for as soon as possible. */
  wantedAt: Instant | null;
  warnings: readonly string[];
  issues: readonly object[];
}

export interface PlacedOrder {
  orderId: string;
  restaurantId: string;
  serviceOrderId: string;
  orderNumber: string;
  status: OrderState;
  createdAt: Instant;
  warnings: readonly string[];
  issues: readonly unknown[];
}

export type PlaceResult = { kind: 'created' | 'replayed'; order: PlacedOrder } | Refused;

export interface OrderPlacer {
  place(request: PlaceRequest): Promise<PlaceResult>;
}

type Deps = Pick<Platform, 'clock' | 'newId'> &
  TransitionReport & {
    db: Database;
    outbox: Outbox;
    insertPlaced?: typeof insertPlacedOrders;
    /** How long a failed commit is repeated. */
    retryForMs?: number;
  };

/** A request and the rows it will write. */
interface Draft {
  request: PlaceRequest;
  row: NewOrderRow;
  events: NewEvent[];
  changes: Change[];
}

const MAX_ORDERS_PER_COMMIT = 200;
const COMMIT_TRIES = 3;
const NUMBER_TRIES = 5;
const RETRY_FOR_MS = 5_000;

export function createOrderPlacer(deps: Deps): OrderPlacer {
  const numbers = createOrderNumbers(deps.db);
  const place = createGroup<PlaceRequest, PlaceResult>({
    maxSize: MAX_ORDERS_PER_COMMIT,
    concurrency: 2,
    run: (requests) => placeWithFreshNumbers(deps, requests, numbers),
  });
  return { place };
}

/** A number may turn out to be used only after a promotion; see order-numbers.ts. */
async function placeWithFreshNumbers(
  deps: Deps,
  requests: readonly PlaceRequest[],
  numbers: OrderNumbers,
): Promise<PlaceResult[]> {
  for (let tries = 1; tries <= NUMBER_TRIES; tries += 1) {
    try {
      return await placeTogether(deps, requests, await numbers.take(requests.length));
    } catch (error) {
      if (!isOrderNumberTaken(error)) throw error;
      numbers.discard();
    }
  }
  throw new DatabaseUnavailable('too many order numbers were already in use');
}

async function placeTogether(
  deps: Deps,
  requests: readonly PlaceRequest[],
  numbers: readonly string[],
): Promise<PlaceResult[]> {
  const now = deps.clock.now();
  const drafts = requests.map((request, index) =>
    draftOrder(deps, request, { now, orderNumber: numbers[index] ?? '' }),
  );
  const placedIds = await commitDrafts(deps, drafts, now);
  const repeated = drafts.filter((draft) => !placedIds.has(draft.row.order.id));
  const existing = await readExisting(deps, repeated);
  return drafts.map((draft) => {
    if (placedIds.has(draft.row.order.id)) {
      reportPlaced(deps, draft);
      return { kind: 'created', order: describeNew(draft) };
    }
    return answerRepeated(draft, existing.get(keyOf(draft.row)));
  });
}

function draftOrder(deps: Deps, request: PlaceRequest, given: { now: Instant; orderNumber: string }): Draft {
  const { restaurant, orderId, wantedAt } = request;
  const { now, orderNumber } = given;
  const placed = newOrder(deps.newId(), wantedAt, now);
  const command = firstCommand(restaurant, wantedAt, now);
  const decision = command === null ? undefined : decide(placed, command, { actor: { role: 'system' }, now });
  if (decision?.kind === 'refused') throw new Error(`the System was refused: ${decision.refusal.message}`);
  const changes = decision?.kind === 'changed' ? decision.changes : [];
  const order = withDeadline(null, decision?.kind === 'changed' ? decision.order : placed, restaurant);
  const identity: OrderIdentity = {
    providerOrderId: orderId,
    serviceOrderId: order.id,
    orderNumber,
    providerRestaurantId: restaurant.providerRestaurantId,
    timeZone: restaurant.timeZone,
  };
  const events = draftEvents(
    { identity, restaurantId: restaurant.id, actor: { role: 'system' }, changes, order },
    deps,
  );
  return { request, row: toRow(request, order, given), events, changes };
}

function toRow(request: PlaceRequest, order: Order, given: { now: Instant; orderNumber: string }): NewOrderRow {
  return {
    order,
    restaurantId: request.restaurant.id,
    providerOrderId: request.orderId,
    orderNumber: given.orderNumber,
    content: request.contentBytes,
    facts: writeContentFacts(readContentFacts(request.content)),
    warnings: JSON.stringify(request.warnings),
    issues: JSON.stringify(request.issues),
    lookAt: earliestDeadline(order, request.restaurant),
    createdAt: given.now,
  };
}

/** The ids of the drafts that are committed as new orders. */
async function commitDrafts(deps: Deps, drafts: readonly Draft[], now: Instant): Promise<Set<string>> {
  const { insertPlaced: insert = insertPlacedOrders, retryForMs = RETRY_FOR_MS } = deps;
  const retryUntilMs = deps.clock.monotonicMs() + retryForMs;
  const events = drafts.flatMap((draft) => draft.events);
  const write = { orders: drafts.map((draft) => draft.row), events, now };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const nodeId = deps.outbox.nodeId();
      const { placedIds, ...leased } = await insert(deps.db, { ...write, nodeId });
      if (attempt > 1) return await findCommitted(deps, drafts, nodeId);
      dispatchNewDeliveries(deps, { events, leased, nodeId });
      return placedIds;
    } catch (error) {
      const isLast = attempt === COMMIT_TRIES || deps.clock.monotonicMs() >= retryUntilMs;
      if (isLast || !(error instanceof DatabaseUnavailable)) throw error;
    }
  }
}

/**
 * After a retry: an earlier commit may have succeeded although its answer was lost, so look up the drafts' own ids.
 * Finding them also confirms that the standby has them.
 */
async function findCommitted(deps: Deps, drafts: readonly Draft[], nodeId: string | null): Promise<Set<string>> {
  const ids = new Set(drafts.map((draft) => draft.row.order.id));
  const existing = await readExisting(deps, drafts);
  const placedIds = new Set([...existing.values()].map((order) => order.id).filter((id) => ids.has(id)));
  const events = drafts.flatMap((draft) => draft.events).filter((event) => placedIds.has(event.orderId));
  const eventIds = events.map((event) => event.id);
  const leasedEventIds = nodeId === null ? new Set<string>() : await listLeasedAmong(deps.db, nodeId, eventIds);
  dispatchNewDeliveries(deps, {
    events,
    leased: { leasedEventIds, hasUnleased: leasedEventIds.size < events.length },
    nodeId,
  });
  return placedIds;
}

async function readExisting(deps: Deps, drafts: readonly Draft[]): Promise<Map<string, ExistingOrder>> {
  if (drafts.length === 0) return new Map();
  const orders = await findExistingOrders(
    deps.db,
    drafts.map((draft) => draft.row),
  );
  return new Map(orders.map((order) => [keyOf(order), order]));
}

function keyOf(order: { restaurantId: string; providerOrderId: string }): string {
  return `${order.restaurantId} ${order.providerOrderId}`;
}

function answerRepeated(draft: Draft, existing: ExistingOrder | undefined): PlaceResult {
  if (existing === undefined) throw new DatabaseUnavailable('the order was neither inserted nor found');
  if (existing.isErased) {
    const message =
      'An order with this orderId already exists, and its content was erased, so it cannot be compared. Use a new orderId';
    return refused(refuse('ORDER_001', message));
  }
  if (canonicalJson(existing.content) === canonicalJson(draft.request.content)) {
    return { kind: 'replayed', order: describeExisting(draft, existing) };
  }
  const details = differingFields(existing.content, draft.request.content).map((field) => ({
    field,
    message: 'Differs from the existing order',
  }));
  return refused(refuse('ORDER_001', undefined, details));
}

function describeNew(draft: Draft): PlacedOrder {
  const { row, request } = draft;
  return {
    orderId: row.providerOrderId,
    restaurantId: request.restaurant.providerRestaurantId,
    serviceOrderId: row.order.id,
    orderNumber: row.orderNumber,
    status: row.order.state,
    createdAt: row.createdAt,
    warnings: request.warnings,
    issues: request.issues,
  };
}

function describeExisting(draft: Draft, existing: ExistingOrder): PlacedOrder {
  return {
    orderId: existing.providerOrderId,
    restaurantId: draft.request.restaurant.providerRestaurantId,
    serviceOrderId: existing.id,
    orderNumber: existing.orderNumber,
    status: existing.state,
    createdAt: existing.createdAt,
    warnings: existing.warnings,
    issues: existing.issues,
  };
}

function reportPlaced(deps: Deps, { row, changes }: Draft): void {
  const { restaurantId, order } = row;
  for (const change of changes) {
    reportTransition(deps, { serviceOrderId: order.id, restaurantId, change, actor: { role: 'system' } });
  }
}
