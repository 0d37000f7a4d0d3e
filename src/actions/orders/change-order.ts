// Runs commands on orders: locks the orders, decides, and saves state, events and deliveries in one transaction.
// Concurrent commands share it. Those on the same order run in order of arrival, and each sees the one before.
import { isDeepStrictEqual } from 'node:util';
import type { HistoryNote } from '../../domain/orders/history-notes.ts';
import { decide, type Actor, type Command, type Order, type OrderState } from '../../domain/orders/order.ts';
import { withDeadline } from '../../domain/orders/placing.ts';
import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import type { Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { recordChange, type NewAuditEntry } from '../../store/people/audit-log.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import { listLeasedAmong } from '../../store/webhooks/deliveries.ts';
import { hasEvent } from '../../store/orders/events.ts';
import { lockOrders, type LockedOrder } from '../../store/orders/locked-orders.ts';
import { updateOrders, type LeasedOnInsert } from '../../store/orders/writes.ts';
import type { NewEvent, NewNote } from '../../store/orders/write-columns.ts';
import { isUuid } from '../../store/database/uuid.ts';
import { createGroup } from '../../store/database/group-commit.ts';
import { findChosenCouriers, toCommand, type ChosenCouriers, type GiveByHand } from './give-by-hand.ts';
import {
  dispatchNewDeliveries,
  draftEvents,
  nameActor,
  reportTransition,
  type Outbox,
  type Transition,
  type TransitionReport,
} from './event-outbox.ts';
import { isOwnOrder } from './own-order.ts';

export interface ChangeRequest {
  /** Waybill's own id of the order. */
  orderId: string;
  scope: Scope;
  command: Command | GiveByHand;
  actor: Actor;
  /** When it happened, if earlier than now: a courier's page may have been offline. */
  at?: Instant;
  /** The state the command was based on. If the order has changed since, the command does nothing. */
  seen?: Pick<Order, 'state' | 'courierId'>;
  /** An additional note for the order's history, committed with the change. */
  note?: Pick<HistoryNote, 'kind' | 'detail'>;
  /** An entry for the audit log, committed with the change. */
  audit?: Pick<NewAuditEntry, 'actor' | 'action' | 'detail'>;
}

export type ChangeResult = { kind: 'changed' | 'unchanged'; state: OrderState } | Refused;

export interface OrderChanger {
  change(request: ChangeRequest): Promise<ChangeResult>;
}

type Deps = Pick<Platform, 'clock' | 'newId'> &
  TransitionReport & {
    db: Database;
    outbox: Outbox;
    update?: typeof updateOrders;
    /** How long after its start a failed change is repeated. */
    retryForMs?: number;
  };

/** What one transaction is going to write. */
interface Batch {
  touched: Set<LockedOrder>;
  events: NewEvent[];
  notes: NewNote[];
  transitions: Transition[];
  audits: NewAuditEntry[];
}

/** One attempt at a transaction. If the answer to its commit is lost, its outcome must be looked up. */
interface Try {
  nodeId: string | null;
  batch: Batch;
  results: ChangeResult[];
}

const MAX_COMMANDS_PER_COMMIT = 200;
const RETRY_FOR_MS = 5_000;

export function createOrderChanger(deps: Deps): OrderChanger {
  const change = createGroup<ChangeRequest, ChangeResult>({
    maxSize: MAX_COMMANDS_PER_COMMIT,
    concurrency: 2,
    run: (requests) => changeTogether(deps, requests),
  });
  return { change };
}

async function changeTogether(deps: Deps, requests: ChangeRequest[]): Promise<ChangeResult[]> {
  let last: Try | undefined;
  const remember = (current: Try): void => void (last = current);
  const retryUntilMs = deps.clock.monotonicMs() + (deps.retryForMs ?? RETRY_FOR_MS);
  try {
    return await changeOnce(deps, requests, { remember });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || deps.clock.monotonicMs() >= retryUntilMs) throw error;
    return changeOnce(deps, requests, { remember, before: last });
  }
}

async function changeOnce(
  deps: Deps,
  requests: ChangeRequest[],
  tries: { remember(current: Try): void; before?: Try | undefined },
): Promise<ChangeResult[]> {
  const { before } = tries;
  const ids = [...new Set(requests.map((request) => request.orderId).filter(isUuid))];
  const done = await deps.db.transaction(async (tx) => {
    const orders = await lockOrders(tx, ids);
    if (before !== undefined && (await hasHappened(tx, before, orders))) {
      return { ...before, leased: await findLeasedOnInsert(tx, before) };
    }
    const couriers = await findChosenCouriers(
      tx,
      requests.map(({ command }) => command),
    );
    const batch: Batch = { touched: new Set(), events: [], notes: [], transitions: [], audits: [] };
    const results = requests.map((request) => applyRequest(deps, request, { batch, orders, couriers }));
    const current: Try = { nodeId: deps.outbox.nodeId(), batch, results };
    tries.remember(current);
    return { ...current, leased: await save(tx, current, deps) };
  });
  const { batch, leased, nodeId, results } = done;
  if (leased !== undefined) dispatchNewDeliveries(deps, { events: batch.events, leased, nodeId });
  for (const transition of batch.transitions) reportTransition(deps, transition);
  return results;
}

/**
 * Whether an earlier attempt was committed. It has ended, because the orders are locked now, and it was atomic: finding
 * one of its events is enough. If it had no events, the orders' current state decides. Row locks are written to the log,
 * so this commit waits for the standby although it changes nothing.
 */
async function hasHappened(tx: Queryable, { batch }: Try, orders: ReadonlyMap<string, LockedOrder>): Promise<boolean> {
  if (batch.touched.size === 0) return false;
  const [event] = batch.events;
  if (event !== undefined) return hasEvent(tx, event.id);
  return [...batch.touched].every(({ order }) => isDeepStrictEqual(orders.get(order.id)?.order, order));
}

async function findLeasedOnInsert(tx: Queryable, { nodeId, batch }: Try): Promise<LeasedOnInsert> {
  const eventIds = batch.events.map((event) => event.id);
  const leasedEventIds = nodeId === null ? new Set<string>() : await listLeasedAmong(tx, nodeId, eventIds);
  return { leasedEventIds, hasUnleased: leasedEventIds.size < eventIds.length };
}

function applyRequest(
  deps: Deps,
  request: ChangeRequest,
  into: { batch: Batch; orders: ReadonlyMap<string, LockedOrder>; couriers: ChosenCouriers },
): ChangeResult {
  const { actor, scope } = request;
  const locked = into.orders.get(request.orderId.toLowerCase());
  if (locked === undefined || !isOwnOrder(locked, scope)) return refused(refuse('ORDER_002'));
  if (request.seen !== undefined && !isAsSeen(locked.order, request.seen)) {
    return { kind: 'unchanged', state: locked.order.state };
  }
  const clockNow = deps.clock.now();
  const now = Math.min(request.at ?? clockNow, clockNow);
  const wanted = toCommand(request.command, locked, { scope, couriers: into.couriers, now });
  if (wanted.kind === 'refused') return wanted;
  const decision = decide(locked.order, wanted.command, { actor, now });
  if (decision.kind === 'refused') return decision;
  if (decision.kind === 'unchanged') return { kind: 'unchanged', state: locked.order.state };
  const { batch } = into;
  const { changes } = decision;
  locked.order = withDeadline(locked.order, decision.order, locked.limits);
  batch.touched.add(locked);
  const { identity, restaurantId, order } = locked;
  batch.events.push(...draftEvents({ identity, restaurantId, actor, changes, order }, deps));
  const notes = [...decision.notes];
  if (request.note !== undefined) notes.push({ ...request.note, at: changes.at(-1)?.at ?? clockNow, courierId: null });
  batch.notes.push(...notes.map((note) => ({ ...note, orderId: order.id, actor: nameActor(actor) })));
  batch.transitions.push(...changes.map((change) => ({ serviceOrderId: order.id, restaurantId, change, actor })));
  if (request.audit !== undefined) batch.audits.push({ ...request.audit, at: clockNow, restaurantId });
  return { kind: 'changed', state: order.state };
}

function isAsSeen(order: Order, seen: Pick<Order, 'state' | 'courierId'>): boolean {
  return order.state === seen.state && order.courierId === seen.courierId;
}

async function save(
  tx: Queryable,
  { batch, nodeId }: Try,
  deps: Pick<Deps, 'clock' | 'update'>,
): Promise<LeasedOnInsert | undefined> {
  if (batch.touched.size === 0) return undefined;
  for (const entry of batch.audits) await recordChange(tx, entry);
  const update = deps.update ?? updateOrders;
  return update(tx, {
    orders: [...batch.touched].map((locked) => locked.order),
    events: batch.events,
    notes: batch.notes,
    now: deps.clock.now(),
    nodeId,
  });
}
