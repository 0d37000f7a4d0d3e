// Rules that all committed data must satisfy, checked afterwards. Pure: takes rows, returns differences.
import type { EventType } from '../webhooks/events.ts';
import { TRANSITIONS, type OrderState } from '../orders/order.ts';
import { formatUtc, type Instant } from '../time.ts';

export const DIFFERENCE_KINDS = [
  /** The versions of an order's events are not 1, 2, 3 up to the order's own version. */
  'order_versions',
  /** An event does not start where the previous one ended, or the last one does not end in the order's state. */
  'order_path',
  'illegal_transition',
  /** A canceled order lacks one of its two events, or another order has a cancel event. */
  'cancel_events',
  /** Times of one order do not strictly increase. */
  'event_times',
  /** An event whose webhook is not pending, delivered or discarded. */
  'event_without_delivery',
  'event_without_order',
  'sequence_gap',
  'attempt_without_event',
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

export interface Difference {
  kind: DifferenceKind;
  /** The id of the inconsistent row. */
  subject: string;
  restaurantId: string;
  detail: string;
}

export interface AuditedEvent {
  id: string;
  version: number;
  type: EventType;
  from: OrderState;
  to: OrderState;
  at: Instant;
  /** Its webhook is pending, delivered or discarded. */
  isAccountedFor: boolean;
}

export interface AuditedOrder {
  id: string;
  restaurantId: string;
  state: OrderState;
  version: number;
  /** Sorted by version. */
  events: readonly AuditedEvent[];
}

const LEGAL: ReadonlySet<string> = new Set(
  Object.values(TRANSITIONS).flatMap(({ from, to }) => from.map((state) => `${state} ${to}`)),
);

export function judgeOrder(order: AuditedOrder): Difference[] {
  const changes = order.events.filter((event) => event.type === 'order.status_changed');
  return [...judgeChanges(order, changes), ...judgeCancellation(order), ...judgeEvents(order)];
}

function judgeChanges(order: AuditedOrder, changes: readonly AuditedEvent[]): Difference[] {
  const { id: subject, restaurantId } = order;
  const found: Difference[] = [];
  const versions = changes.map((event) => event.version);
  if (versions.length !== order.version || versions.some((version, index) => version !== index + 1)) {
    const detail = `version ${order.version}, events ${versions.join(', ') || 'none'}`;
    found.push({ kind: 'order_versions', subject, restaurantId, detail });
  } else {
    const path: OrderState[] = ['NEW', ...changes.map((event) => event.to)];
    const isWhole = changes.every((event, index) => event.from === path[index]) && path.at(-1) === order.state;
    const steps = changes.map((event) => `${event.from}>${event.to}`).join(' ');
    if (!isWhole) {
      found.push({ kind: 'order_path', subject, restaurantId, detail: `state ${order.state}, events ${steps}` });
    }
  }
  const isLater = changes.every((event, index) => event.at > (changes[index - 1]?.at ?? -Infinity));
  if (!isLater) {
    const detail = changes.map((event) => formatUtc(event.at)).join(' ');
    found.push({ kind: 'event_times', subject, restaurantId, detail });
  }
  return found;
}

function judgeCancellation(order: AuditedOrder): Difference[] {
  const { id: subject, restaurantId, state } = order;
  const statuses = order.events.filter((event) => event.type === 'order.status_changed' && event.to === 'CANCELED');
  const cancels = order.events.filter((event) => event.type === 'order.canceled');
  const wanted = state === 'CANCELED' ? 1 : 0;
  const isWhole =
    statuses.length === wanted && cancels.length === wanted && statuses[0]?.version === cancels[0]?.version;
  if (isWhole) return [];
  const detail = `state ${state}, ${statuses.length} status and ${cancels.length} cancel events`;
  return [{ kind: 'cancel_events', subject, restaurantId, detail }];
}

function judgeEvents({ restaurantId, events }: AuditedOrder): Difference[] {
  return events.flatMap((event) => {
    const found: Difference[] = [];
    if (!LEGAL.has(`${event.from} ${event.to}`)) {
      const detail = `${event.from} to ${event.to}`;
      found.push({ kind: 'illegal_transition', subject: event.id, restaurantId, detail });
    }
    if (!event.isAccountedFor) {
      const detail = `${event.type}, version ${event.version}`;
      found.push({ kind: 'event_without_delivery', subject: event.id, restaurantId, detail });
    }
    return found;
  });
}

export interface SequencedEvent {
  id: string;
  restaurantId: string;
  sequence: number;
  at: Instant;
  hasOrder: boolean;
  /** The last sequence number assigned to the restaurant. */
  lastSequence: number;
}

/**
 * Consecutive events by restaurant and sequence, starting with the last event of the previous part, if any. Events
 * before the first one kept may have been deleted.
 */
export function judgeSequence(
  events: readonly SequencedEvent[],
  part: { isFirst: boolean; isLast: boolean; keptSince: Instant },
): Difference[] {
  const found: Difference[] = [];
  for (const [index, event] of events.entries()) {
    const { id, restaurantId, sequence } = event;
    const before = events[index - 1];
    const after = events[index + 1];
    const isJudged = event.at >= part.keptSince && (index > 0 || part.isFirst);
    const expected = before?.restaurantId === restaurantId ? before.sequence + 1 : sequence;
    if (isJudged && sequence !== expected) {
      const detail = `${sequence} follows ${before?.sequence}`;
      found.push({ kind: 'sequence_gap', subject: `${restaurantId}/${sequence}`, restaurantId, detail });
    }
    if (isJudged && !event.hasOrder) {
      found.push({ kind: 'event_without_order', subject: id, restaurantId, detail: `sequence ${sequence}` });
    }
    const isNewest = after === undefined ? part.isLast : after.restaurantId !== restaurantId;
    if (isNewest && sequence !== event.lastSequence) {
      const detail = `the last event is ${sequence}, the counter is at ${event.lastSequence}`;
      found.push({ kind: 'sequence_gap', subject: `${restaurantId}/${event.lastSequence}`, restaurantId, detail });
    }
  }
  return found;
}

/** Creation time of an id: ids are UUIDs of version 7, which begin with their time. */
export function timeOfId(id: string): Instant {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
