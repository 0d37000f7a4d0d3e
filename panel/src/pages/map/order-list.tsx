// Every live order as text: a complete accessible alternative to the map.
import { TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import type { MapOrder } from '../../../../src/contract/panel/planning/map.ts';
import { Badge, StateBadge } from '../../parts/orders/badge.tsx';
import { formatNear, zoneName } from '../../ui/time/time-words.ts';
import { mapTexts } from '../../texts/planning/map.ts';
import { alarmTexts } from '../../texts/planning/planning.ts';
import { describeHolder } from './model/courier-words.ts';
import { describeLateness, nameOfOrder } from './model/orders.ts';
import { zoneOf, type OrderZones } from './model/order-zones.ts';

export interface OrderListProps {
  orders: readonly MapOrder[];
  /** Set for users who see several restaurants. */
  restaurantNames: ReadonlyMap<string, string> | undefined;
  zones: OrderZones;
  now: number;
  onChoose: (orderId: string) => void;
}

export function OrderList({ orders, restaurantNames, zones, now, onChoose }: OrderListProps) {
  return (
    <ul className="flex flex-col">
      {orders.map((order) => (
        // The browser skips layout of rows off screen: there may be thousands.
        <li key={order.id} className="border-b [contain-intrinsic-size:auto_6rem] [content-visibility:auto]">
          <OrderRow
            order={order}
            restaurant={restaurantNames?.get(order.restaurantId)}
            zone={zoneOf(zones, order.id)}
            now={now}
            onChoose={onChoose}
          />
        </li>
      ))}
    </ul>
  );
}

interface OrderRowProps {
  order: MapOrder;
  restaurant: string | undefined;
  zone: string;
  now: number;
  onChoose: (orderId: string) => void;
}

const OrderRow = memo(function OrderRow({ order, restaurant, zone, now, onChoose }: OrderRowProps) {
  const lateness = describeLateness(order, now);
  return (
    <button
      type="button"
      data-order={order.id}
      onClick={() => onChoose(order.id)}
      className="flex w-full flex-col gap-1.5 px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span className="flex w-full flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <span className="tabular font-medium">{nameOfOrder(order)}</span>
        <Badge tone={lateness.tone}>{lateness.words}</Badge>
      </span>
      <span className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-soft">
        <StateBadge state={order.state} />
        <span className="min-w-0 truncate">
          {[restaurant, order.destination ?? (order.dropoff === null ? mapTexts.noDropoff : null)]
            .filter(Boolean)
            .join(' → ')}
        </span>
      </span>
      <span className="text-sm text-ink-soft">{describeCarrying(order, zone, now)}</span>
      {order.alarms.map(({ kind, detail }) => (
        <span key={kind} className="flex items-center gap-1.5 text-sm text-danger">
          <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
          {`${alarmTexts.kinds[kind]}: ${detail}`}
        </span>
      ))}
    </button>
  );
});

/** "Ada, accepted · Pickup 18:20 · Delivery 18:35 · Due 18:40 GMT+3" */
function describeCarrying(order: MapOrder, zone: string, now: number): string {
  const { courier, pickupAt, dropoffAt, dueAt, state } = order;
  const time = (at: string): string => formatNear(Date.parse(at), zone, now);
  return [
    describeHolder(courier),
    pickupAt !== null && state !== 'ON_DELIVERY' && `${mapTexts.pickup} ${time(pickupAt)}`,
    dropoffAt !== null && `${mapTexts.dropoff} ${time(dropoffAt)}`,
    `${mapTexts.due} ${time(dueAt)} ${zoneName(Date.parse(dueAt), zone)}`,
  ]
    .filter((part) => part !== false)
    .join(' · ');
}
