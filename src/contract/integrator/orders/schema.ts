// The body of an order: every field that Waybill knows. Limits are generous; they exist so that one order cannot
// fill a page, a log or an index.
import { z } from 'zod';
import { VEHICLES } from '../../../domain/couriers/courier.ts';
import {
  country,
  currency,
  email,
  flag,
  id,
  instant,
  integer,
  list,
  locale,
  money,
  oneOf,
  pairs,
  phone,
  text,
} from './fields.ts';
import { testScript } from './test-script.ts';

const address = z.object({
  line1: text(200, 'Street and number').optional(),
  line2: text(200, 'Second address line').optional(),
  district: text(100, 'District or neighbourhood').optional(),
  city: text(100, 'City').optional(),
  region: text(100, 'State, province or region').optional(),
  postalCode: text(20, 'Postal code').optional(),
  country: country.optional(),
  formatted: text(500, 'The whole address in one text').optional(),
  building: text(100, 'Building').optional(),
  floor: text(20, 'Floor').optional(),
  apartment: text(50, 'Apartment').optional(),
  entrance: text(50, 'Entrance').optional(),
  doorCode: text(50, 'Door code').optional(),
  landmark: text(200, 'Something to look out for').optional(),
});

const location = z.object({
  latitude: z.number().min(-90).max(90).describe('Degrees north, WGS 84'),
  longitude: z.number().min(-180).max(180).describe('Degrees east, WGS 84'),
});

function place(who: string) {
  return z.object({
    name: text(200, `Name of the ${who}`).optional(),
    phone: phone(`Phone of the ${who}`).optional(),
    instructions: text(1000, `Instructions for the courier at the ${who}`).optional(),
    address: address.describe('Give `formatted`, the parts, or both').optional(),
    location: location.describe('Coordinates; the order is planned once the drop-off has them').optional(),
  });
}

const customer = z.object({
  name: text(200, 'Name of the customer').optional(),
  phone: phone('Phone of the customer').optional(),
  phoneAccessCode: text(20, 'Code to type after calling a masked number').optional(),
  email: email.optional(),
  locale: locale.optional(),
});

const quantity = integer({ min: 1, max: 9999 }, 'How many');
const weightGrams = integer({ min: 0, max: 1_000_000 }, 'Weight in grams');

const option = z.object({
  name: text(200, 'Name of the option'),
  id: text(128, 'Your id of the option').optional(),
  quantity: quantity.optional(),
  unitPrice: money('Price of one').optional(),
});

export const itemSchema = z.object({
  name: text(200, 'Name of the item'),
  quantity,
  id: text(128, 'Your id of the item').optional(),
  unitPrice: money('Price of one').optional(),
  notes: text(1000, 'Wishes for this item').optional(),
  options: list(option, 50, 'Choices made for this item').optional(),
  tags: list(text(64, 'A tag'), 50, 'Your tags of the item').optional(),
  weightGrams: weightGrams.optional(),
});

const parcel = z.object({
  size: oneOf(['SMALL', 'MEDIUM', 'LARGE', 'EXTRA_LARGE'], 'Size of the whole order').optional(),
  count: integer({ min: 1, max: 99 }, 'Number of bags or boxes').optional(),
  weightGrams: weightGrams.optional(),
  thermalBag: flag('Whether the courier needs a thermal bag').optional(),
});

const totals = z.object({
  subtotal: money('Sum of the items').optional(),
  tax: money('Tax').optional(),
  deliveryFee: money('What the customer pays for delivery').optional(),
  discount: money('Discount, as a positive amount').optional(),
  total: money('What the customer pays in all').optional(),
});

const payment = z.object({
  status: oneOf(['PAID', 'COLLECT_ON_DELIVERY'], 'Whether the courier collects money'),
  method: oneOf(['CASH', 'CARD', 'ONLINE', 'VOUCHER', 'OTHER'], 'How the customer pays').optional(),
  amountToCollect: money('What the courier collects; required with COLLECT_ON_DELIVERY').optional(),
  cashTendered: money('The banknote the customer pays with, so that the courier brings change').optional(),
});

const timing = z.object({
  asap: flag('Deliver as soon as possible').optional(),
  prepMinutes: integer({ min: 0, max: 1440 }, 'How long the kitchen needs').optional(),
  readyAt: instant('When the food is ready').optional(),
  dropoffWindow: z
    .object({ start: instant('Not before'), end: instant('Not after; later than start') })
    .describe('When the customer expects it')
    .optional(),
  maxDeliveryMinutes: integer({ min: 1, max: 1440 }, 'Longest time from pickup to drop-off').optional(),
});

const requirements = z.object({
  vehicle: list(oneOf(VEHICLES, 'A vehicle'), 4, 'Vehicles that may carry it; any if empty').optional(),
  handover: oneOf(['HAND_TO_CUSTOMER', 'MEET_OUTSIDE', 'LEAVE_AT_DOOR'], 'How to hand it over').optional(),
  ifUndeliverable: oneOf(['RETURN', 'LEAVE_AT_DOOR', 'DISPOSE'], 'What to do if nobody takes it').optional(),
  proofOfDelivery: list(oneOf(['PHOTO', 'SIGNATURE', 'PIN_CODE'], 'A proof'), 3, 'Proofs to collect').optional(),
  minAge: integer({ min: 1, max: 99 }, 'Age to check at the door').optional(),
  canCombine: flag('Whether it may share a trip with other orders').optional(),
});

const notes = z.object({
  kitchen: text(2000, 'For the kitchen').optional(),
  courier: text(2000, 'For the courier').optional(),
});

export const ITEMS_LIMIT = 200;

export const orderSchema = z.object({
  orderId: id(128, 'Your id of the order, unique within the restaurant; echoed in every webhook'),
  restaurantId: id(64, 'Your id of the restaurant; must be the one these credentials belong to'),
  displayId: text(64, 'The id people see, on the receipt and the bag').optional(),
  channel: text(64, 'Where the order was placed').optional(),
  placedAt: instant('When the customer ordered').optional(),
  pickup: place('pickup place').describe('Where to fetch it; the restaurant itself if left out').optional(),
  dropoff: place('drop-off place').describe('Where to bring it').optional(),
  customer: customer.describe('Who ordered').optional(),
  items: list(itemSchema, ITEMS_LIMIT, 'What was ordered').optional(),
  package: parcel.describe('What the courier carries').optional(),
  currency: currency.optional(),
  totals: totals.describe('The bill').optional(),
  tip: money('Tip for the courier').optional(),
  payment: payment.describe('Who pays when').optional(),
  timing: timing.describe('When').optional(),
  requirements: requirements.describe('What the courier must have or do').optional(),
  notes: notes.describe('Free text for people').optional(),
  tags: list(text(64, 'A tag'), 50, 'Your tags of the order').optional(),
  metadata: pairs(50, 'Your own names and values; never shown to couriers').optional(),
  test: testScript.describe('Test environment only: what the robots do with this order').optional(),
});

/** An order as it was sent. Fields that Waybill does not know are still in it, untyped. */
export type OrderRequest = z.infer<typeof orderSchema>;
