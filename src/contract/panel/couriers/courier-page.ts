// What the courier's page sends and gets.
import { z } from 'zod';
import { CANCEL_REASONS, CANCELED_BY, isCancelReasonId } from '../../../domain/orders/cancellation.ts';
import { ACT_KINDS, VEHICLES } from '../../../domain/couriers/courier.ts';
import { sentTime } from '../../validation/sent-time.ts';

const time = z.string().describe('RFC 3339, UTC');
const location = z.object({ latitude: z.number(), longitude: z.number() });

export const dutyRequest = z.object({ onDuty: z.boolean() });
/** Neither of the two is a sign of life of a phone that does not know where it is. */
export const positionRequest = z
  .object({ latitude: z.number().min(-90).max(90).optional(), longitude: z.number().min(-180).max(180).optional() })
  .refine(({ latitude, longitude }) => (latitude === undefined) === (longitude === undefined), {
    path: ['longitude'],
  });
export const declineRequest = z.object({ reason: z.string().trim().min(1).max(500) });

export const COURIER_CANCEL_REASONS = Object.keys(CANCEL_REASONS)
  .filter(isCancelReasonId)
  .filter((reason) => CANCEL_REASONS[reason].by.some((who) => who === 'Courier'));
export const courierCancelRequest = z.object({
  cancelReasonId: z.enum(COURIER_CANCEL_REASONS),
  reason: z.string().trim().min(1).max(500).optional(),
});

/** Kept by the page while there is no connection, and sent in the order in which they happened. */
const act = z.object({
  id: z.uuid().describe('Made by the page; the same act has the same id however often it is sent'),
  orderId: z.uuid(),
  kind: z.enum(ACT_KINDS),
  at: sentTime.describe('When it happened'),
  detail: z.string().trim().min(1).max(500).optional().describe('For a problem: what it is'),
});
export const actsRequest = z.object({ acts: z.array(act).min(1).max(50) });
export const actsAnswer = z.object({
  results: z.array(
    z.object({
      id: z.uuid(),
      outcome: z.enum(['applied', 'refused']),
      explanation: z.string().nullable().describe('Why it was refused, for people'),
    }),
  ),
});
export type ActsAnswer = z.infer<typeof actsAnswer>;

/** GET /api/courier/orders/:orderId: what became of an order that is not among the stops any more. */
export const orderEnding = z.object({
  orderNumber: z.string(),
  ending: z
    .enum(['open', 'delivered', 'canceled', 'moved'])
    .describe('`open`: it is still theirs; `moved`: somebody else carries it'),
  canceledBy: z.enum(CANCELED_BY).nullable(),
});
export type OrderEnding = z.infer<typeof orderEnding>;

export const photoRequest = z.object({ content: z.base64().nullable().describe('JPEG, PNG or WebP; null removes it') });

const address = z.object({
  line1: z.string(),
  line2: z.string(),
  district: z.string(),
  city: z.string(),
  postalCode: z.string(),
  formatted: z.string(),
  building: z.string(),
  floor: z.string(),
  apartment: z.string(),
  entrance: z.string(),
  doorCode: z.string(),
  landmark: z.string(),
});
const place = z.object({
  name: z.string().optional(),
  phone: z.string().optional(),
  instructions: z.string().optional(),
  address: address.partial().optional(),
  location: location.optional(),
});
const item = z.object({
  name: z.string(),
  quantity: z.number(),
  notes: z.string().optional(),
  options: z.array(z.object({ name: z.string(), quantity: z.number().optional() })).optional(),
});

/** How a customer pays at the door, as orders name it. */
export const COLLECT_METHODS = ['CASH', 'CARD', 'VOUCHER', 'ONLINE', 'OTHER'] as const;
const collectMethod = z.enum(COLLECT_METHODS);

/** Of an order's content what a courier may see: reading it with this schema leaves everything else behind. */
export const courierContent = z.object({
  displayId: z.string().optional(),
  pickup: place.optional(),
  dropoff: place.optional(),
  customer: z.object({ name: z.string(), phone: z.string(), phoneAccessCode: z.string() }).partial().optional(),
  items: z.array(item).optional(),
  package: z.object({ count: z.number(), thermalBag: z.boolean() }).partial().optional(),
  currency: z.string().optional(),
  tip: z.number().optional(),
  payment: z
    .object({
      status: z.string(),
      // One that this version does not know hides nothing else of the order.
      method: collectMethod.optional().catch('OTHER'),
      amountToCollect: z.number().optional(),
      cashTendered: z.number().optional(),
    })
    .optional(),
  requirements: z
    .object({
      handover: z.string(),
      ifUndeliverable: z.string(),
      proofOfDelivery: z.array(z.string()),
      minAge: z.number(),
    })
    .partial()
    .optional(),
  notes: z.object({ courier: z.string().optional() }).optional(),
});
export type CourierContent = z.infer<typeof courierContent>;

const money = z.object({ amount: z.number().describe('Minor units'), currency: z.string() });

const offer = z.object({
  orderId: z.uuid(),
  orderNumber: z.string(),
  restaurant: z.string(),
  pickup: place,
  /** Where it goes, roughly: the address is told to whoever accepts. */
  dropoff: z.object({ district: z.string().nullable(), location: location.nullable() }),
  bags: z.number(),
  distanceMeters: z.number().nullable().describe('To the restaurant and on to the door, as the crow flies'),
  pay: money.nullable(),
  pickupAt: time.nullable(),
  dropoffAt: time.nullable(),
  expiresAt: time,
});
export type CourierOffer = z.infer<typeof offer>;

const stop = z.object({
  kind: z.enum(['pickup', 'dropoff']),
  orderId: z.uuid(),
  orderNumber: z.string(),
  handoverCode: z.string().describe('What the bag is called at the counter'),
  restaurant: z.string(),
  place,
  plannedAt: time.nullable(),
  nextAct: z.enum(ACT_KINDS).describe('What the big button does'),
  disabledReason: z.string().nullable().describe('Why it cannot be pressed now'),
  items: z.array(item),
  bags: z.number(),
  customer: z.object({ name: z.string(), phone: z.string(), phoneAccessCode: z.string() }).partial().nullable(),
  cash: z
    .object({
      // What a phone has kept from before there were others is cash.
      method: collectMethod.default('CASH'),
      toCollect: money,
      tendered: money.nullable().describe('Null where it is not paid in cash'),
      change: money.nullable(),
    })
    .nullable()
    .describe('What to collect at the door, in cash or otherwise'),
  notes: z.string().nullable(),
  requirements: courierContent.shape.requirements.unwrap(),
});
export type CourierStop = z.infer<typeof stop>;

/** GET /api/courier/work: everything the page shows. */
export const courierWork = z.object({
  courier: z.object({
    id: z.uuid(),
    name: z.string(),
    phone: z.string().nullable(),
    vehicle: z.enum(VEHICLES),
    capacity: z.number(),
    onDuty: z.boolean(),
    photoAt: time.nullable().describe('When the photo was last changed; null where there is none'),
  }),
  shiftEndsAt: time.nullable().describe('May have passed: then there are no new offers'),
  offers: z.array(offer),
  stops: z.array(stop).describe('In the order in which to visit them'),
  now: time.describe("The service's clock, for the countdown"),
});
export type CourierWork = z.infer<typeof courierWork>;
