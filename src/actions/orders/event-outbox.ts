// From a decision to its events, and from the commit to whoever sends them.
import { eventsOf, type EndpointKind, type OrderIdentity } from '../../domain/webhooks/events.ts';
import type { Actor, Change, Order } from '../../domain/orders/order.ts';
import type { Log } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { notifyDueDeliveries, type Delivery } from '../../store/webhooks/deliveries.ts';
import type { Births } from '../../store/orders/writes.ts';
import type { NewEvent } from '../../store/orders/write-parameters.ts';

/** The sending side of this node, as far as a commit needs it. */
export interface Outbox {
  /** Null while this node may not send: its deliveries are then born free for any node to claim. */
  nodeId(): string | null;
  hasRoomFor(restaurantId: string, endpoint: EndpointKind): boolean;
  /** Whether this node's last attempts there have failed. */
  isFailing(restaurantId: string, endpoint: EndpointKind): boolean;
  /** Event ids that are in memory; whatever else is leased to this node has yet to be found. */
  heldIdsOf(orderId: string): string[];
  /** Sends from memory what was just committed as leased to this node. */
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
  /** As it is after the changes. */
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

/** What a commit has to make known. */
export interface Dispatch {
  events: readonly NewEvent[];
  births: Births;
  /** Under which the commit took its leases. */
  nodeId: string | null;
}

/** After the commit: what this node holds goes out from memory, for the rest the others are told to look. */
export function dispatchBirths(deps: { db: Queryable; outbox: Outbox }, dispatch: Dispatch): void {
  const { births, nodeId } = dispatch;
  if (nodeId !== null && births.leasedEventIds.size > 0) {
    const leased = dispatch.events.filter((event) => births.leasedEventIds.has(event.id));
    deps.outbox.accept(leased.map((event) => toDelivery(event, nodeId)));
  }
  // A lost hint costs at most one poll. What is for a failing endpoint can wait for that, and what had no room here, too:
  // hints of them would have every node look for work all the time, and find next to none.
  const isUrgent = ({ id, restaurantId, endpoint, wantsLease }: NewEvent): boolean =>
    (wantsLease || nodeId === null) && !births.leasedEventIds.has(id) && !deps.outbox.isFailing(restaurantId, endpoint);
  if (births.hasUnleased && dispatch.events.some(isUrgent)) void notifyDueDeliveries(deps.db).catch(() => undefined);
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

/** One wide line for each transition that was committed. */
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
