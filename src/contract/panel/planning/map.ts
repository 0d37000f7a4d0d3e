// What the live map receives: everything on one screen in one response. A restaurant gets its own orders, and only the
// couriers' stops for those orders.
import { z } from 'zod';
import { VEHICLES } from '../../../domain/couriers/courier.ts';
import { STATES } from '../../../domain/orders/order.ts';
import { alarmView } from './planning.ts';
import { whyView } from './explanation.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const id = z.uuid();
const place = z.object({ latitude: z.number(), longitude: z.number() });

const mapOrder = z.object({
  id,
  restaurantId: id,
  orderNumber: z.string(),
  displayId: z.string().nullable(),
  state: z.enum(STATES),
  pickup: place.nullable(),
  dropoff: place.nullable().describe('Null: it cannot be planned until the drop-off is fixed'),
  destination: z.string().nullable(),
  dueAt: time.describe('When it should arrive'),
  pickupAt: time.nullable().describe('Planned'),
  dropoffAt: time.nullable().describe('Planned'),
  courier: z
    .object({ id: id.nullable(), name: z.string().nullable(), standing: z.enum(['planned', 'offered', 'accepted']) })
    .nullable(),
  why: whyView.nullable(),
  alarms: z.array(alarmView.pick({ kind: true, detail: true, raisedAt: true })),
});
export type MapOrder = z.infer<typeof mapOrder>;

const stop = place.extend({ orderId: id, kind: z.enum(['pickup', 'dropoff']), at: time.nullable() });

const mapCourier = z.object({
  id,
  name: z.string(),
  vehicle: z.enum(VEHICLES),
  position: place
    .extend({ reportedAt: time.nullable().describe('Null: not yet, so the usual waiting place is used') })
    .nullable(),
  isDark: z.boolean().describe('Reported a position before, but no longer does'),
  stops: z.array(stop).describe('In the order in which they are planned'),
});
export type MapCourier = z.infer<typeof mapCourier>;

export const mapAnswer = z.object({
  restaurants: z.array(z.object({ id, name: z.string(), place: place.nullable(), timeZone: z.string() })),
  orders: z.array(mapOrder).describe('Live ones, oldest first'),
  total: z.number().describe('Number of live orders; may be more than are listed'),
  couriers: z.array(mapCourier).describe('On duty'),
});
export type MapAnswer = z.infer<typeof mapAnswer>;

/** Null: the built-in plain style, which loads nothing from other servers. */
export const mapStyleAnswer = z.object({ styleUrl: z.string().nullable() });
export type MapStyleAnswer = z.infer<typeof mapStyleAnswer>;

export const mapApi = declareRoutes({
  read: { method: 'GET', path: '/api/map', answer: mapAnswer },
  readAll: { method: 'GET', path: '/api/operator/map', answer: mapAnswer },
  readStyle: { method: 'GET', path: '/api/map-style', answer: mapStyleAnswer },
});
