// Turns a decision into events and, after the commit, hands them to the sender.
import { eventsOf, type EndpointKind, type OrderIdentity } from '../../domain/webhooks/events.ts';
import type { Actor, Change, Order } from '../../domain/orders/order.ts';
import type { Log } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { notifyDueDeliveries, type Delivery } from '../../store/webhooks/deliveries.ts';
import type { LeasedOnInsert } from '../../store/orders/writes.ts';
import type { NewEvent } from '../../store/orders/write-columns.ts';

/** What a commit needs from this node's sender. */
export interface Outbox {
  /** Null while this node may not send: its new deliveries then have no lease, and any node may claim them. */
  nodeId(): string | null;
  hasRoomFor(restaurantId: string, endpoint: EndpointKind): boolean;
  /** Whether this node's last attempts there have failed. */
  isFailing(restaurantId: string, endpoint: EndpointKind): boolean;
  /** Ids of the order's events in memory. Anything else leased to this node has not been loaded yet. */
  heldIdsOf(orderId: string): string[];
  /** Sends, from memory, deliveries just committed with a lease held by this node. */
  accept(deliveries: Delivery[]): void;
}

/** For programs that commit and do not send. */
export const closedOutbox: Outbox = {
  nodeId: () => null,
  hasRoomFor: () => false,
  isFailing: () => false,
  heldIdsOf: () => [],
  accept: () => {
    throw new Error('a delivery was leased to a node that does not send');
  },
};

export interface Announcement {
  identity: OrderIdentity;
  restaurantId: string;
  actor: Actor;
  changes: readonly Change[];
  /** After the changes. */
  order: Order;
}

export function draftEvents(
  announcement: Announcement,
  deps: { newId(): string; outbox: Pick<Outbox, 'hasRoomFor' | 'heldIdsOf'> },
): NewEvent[] {
  const { identity, restaurantId, actor, order } = announcement;
  const heldIds = deps.outbox.heldIdsOf(order.id);
  return announcement.changes.flatMap((change) =>
    eventsOf(change, identity, order.cancellation).map((event) => ({
      ...event,
      id: deps.newId(),
      restaurantId,
      orderId: identity.serviceOrderId,
      actor: nameActor(actor),
      wantsLease: deps.outbox.hasRoomFor(restaurantId, event.endpoint),
      heldIds,
    })),
  );
}

export function nameActor(actor: Actor): string {
  return actor.role === 'courier' ? `courier:${actor.courierId}` : actor.role;
}

/** What must be sent or announced after a commit. */
export interface Dispatch {
  events: readonly NewEvent[];
  leased: LeasedOnInsert;
  /** The node that holds the leases taken by the commit. */
  nodeId: string | null;
}

/** After the commit: sends this node's leased deliveries from memory and notifies other nodes about the rest. */
export function dispatchNewDeliveries(deps: { db: Queryable; outbox: Outbox }, dispatch: Dispatch): void {
  const { leased, nodeId } = dispatch;
  if (nodeId !== null && leased.leasedEventIds.size > 0) {
    const sendable = dispatch.events.filter((event) => leased.leasedEventIds.has(event.id));
    deps.outbox.accept(sendable.map((event) => toDelivery(event, nodeId)));
  }
  // A lost notification costs at most one poll. Deliveries to a failing endpoint, or for which this node had no room,
  // wait for the poll: notifying about them would make every node query constantly and find next to nothing.
  const isUrgent = ({ id, restaurantId, endpoint, wantsLease }: NewEvent): boolean =>
    (wantsLease || nodeId === null) && !leased.leasedEventIds.has(id) && !deps.outbox.isFailing(restaurantId, endpoint);
  if (leased.hasUnleased && dispatch.events.some(isUrgent)) void notifyDueDeliveries(deps.db).catch(() => undefined);
}

function toDelivery(event: NewEvent, leasedBy: string): Delivery {
  return {
    eventId: event.id,
    restaurantId: event.restaurantId,
    endpoint: event.endpoint,
    orderId: event.orderId,
    version: event.version,
    attempts: 0,
    failures: 0,
    body: event.body,
    leasedBy,
    ...(event.heldIds !== undefined && { countedOn: event.heldIds }),
  };
}

export interface Transition {
  serviceOrderId: string;
  restaurantId: string;
  actor: Actor;
  change: Change;
}

export interface TransitionReport {
  log: Log;
  /** For the metrics and for the planner. */
  onTransition?: (transition: Transition) => void;
}

/** Logs one wide line per committed transition. */
export function reportTransition(deps: TransitionReport, transition: Transition): void {
  const { change, actor } = transition;
  deps.onTransition?.(transition);
  deps.log.info({
    event: 'order.changed',
    serviceOrderId: transition.serviceOrderId,
    restaurantId: transition.restaurantId,
    from: change.from,
    to: change.to,
    version: change.version,
    actor: nameActor(actor),
  });
}
