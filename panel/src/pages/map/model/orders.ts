// The map's orders for the list and the map: lateness, sort order, and search.
import type { MapAnswer, MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import { expectedLatenessMs } from '../../../../../src/domain/orders/lateness.ts';
import { MINUTE_MS } from '../../../../../src/domain/time.ts';
import { formatDuration } from '../../../ui/time/time-words.ts';
import { mapTexts } from '../../../texts/planning/map.ts';

/** Customers tolerate shorter delays. */
const BADLY_LATE_MS = 10 * MINUTE_MS;

export interface Lateness {
  /** `neutral`: unknown yet. */
  tone: 'good' | 'warn' | 'danger' | 'neutral';
  words: string;
}

export function describeLateness(order: Pick<MapOrder, 'dueAt' | 'dropoffAt'>, now: number): Lateness {
  const lateMs = latenessOf(order, now);
  if (lateMs >= MINUTE_MS) {
    return { tone: lateMs >= BADLY_LATE_MS ? 'danger' : 'warn', words: mapTexts.late(formatDuration(lateMs)) };
  }
  if (order.dropoffAt === null) return { tone: 'neutral', words: mapTexts.dueIn(formatDuration(-lateMs)) };
  return { tone: 'good', words: mapTexts.onTime };
}

function latenessOf({ dueAt, dropoffAt }: Pick<MapOrder, 'dueAt' | 'dropoffAt'>, now: number): number {
  const expectedAt = dropoffAt === null ? null : Date.parse(dropoffAt);
  return expectedLatenessMs({ dueAt: Date.parse(dueAt), expectedAt }, now);
}

/** Most late first. */
export function sortByLateness(orders: readonly MapOrder[], now: number): MapOrder[] {
  return orders.toSorted((one, other) => latenessOf(other, now) - latenessOf(one, now));
}

export function nameOfOrder({ displayId, orderNumber }: Pick<MapOrder, 'displayId' | 'orderNumber'>): string {
  return displayId === null ? mapTexts.number(orderNumber) : `${mapTexts.number(orderNumber)} · ${displayId}`;
}

/** Searches by number, the integrator's number, street, courier or restaurant. */
export function findOrders({ orders, restaurants }: MapAnswer, text: string): MapOrder[] {
  const sought = text.trim().replace(/^#/, '').toLowerCase();
  const names = new Map(restaurants.map(({ id, name }) => [id, name]));
  return orders.filter(({ orderNumber, displayId, destination, courier, restaurantId }) =>
    [orderNumber, displayId, destination, courier?.name, names.get(restaurantId)].some(
      (field) => field?.toLowerCase().includes(sought) === true,
    ),
  );
}
