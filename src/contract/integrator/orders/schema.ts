// The body of an order with every known field. Limits are generous; they keep one order from filling a page, a log or an
// index.
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
  line1: text(200, 'Street and house number').optional(),
  line2: text(200, 'Second address line').optional(),
  district: text(100, 'District or neighborhood').optional(),
  city: text(100, 'City').optional(),
  region: text(100, 'State, province or region').optional(),
  postalCode: text(20, 'Postal code').optional(),
  country: country.optional(),
  formatted: text(500, 'The complete address as one text').optional(),
  building: text(100, 'Building').optional(),
  floor: text(20, 'Floor').optional(),
  apartment: text(50, 'Apartment').optional(),
  entrance: text(50, 'Entrance').optional(),
  doorCode: text(50, 'Door code').optional(),
  landmark: text(200, 'Landmark that helps to find the address').optional(),
});

const location = z.object({
  latitude: z.number().min(-90).max(90).describe('Degrees north, WGS 84'),
  longitude: z.number().min(-180).max(180).describe('Degrees east, WGS 84'),
});

function place(who: string) {
  return z.object({
    name: text(200, `Name at the ${who}`).optional(),
    phone: phone(`Phone number at the ${who}`).optional(),
    instructions: text(1000, `Instructions for the courier at the ${who}`).optional(),
    address: address.describe('Address as `formatted`, as separate fields, or both').optional(),
    location: location.describe('Coordinates; an order is planned only if its drop-off has them').optional(),
  });
}

const customer = z.object({
  name: text(200, 'Name of the customer').optional(),
  phone: phone('Phone number of the customer').optional(),
  phoneAccessCode: text(20, 'Code to enter after calling a masked number').optional(),
  email: email.optional(),
  locale: locale.optional(),
});

const quantity = integer({ min: 1, max: 9999 }, 'Quantity');
const weightGrams = integer({ min: 0, max: 1_000_000 }, 'Weight in grams');

const option = z.object({
  name: text(200, 'Name of the option'),
  id: text(128, 'Your id for the option').optional(),
  quantity: quantity.optional(),
  unitPrice: money('Price of one unit').optional(),
});

export const itemSchema = z.object({
  name: text(200, 'Name of the item'),
  quantity,
  id: text(128, 'Your id for the item').optional(),
  unitPrice: money('Price of one unit').optional(),
  notes: text(1000, 'Special requests for this item').optional(),
  options: list(option, 50, 'Options chosen for this item').optional(),
  tags: list(text(64, 'A tag'), 50, 'Your tags for the item').optional(),
  weightGrams: weightGrams.optional(),
});

const parcel = z.object({
  size: oneOf(['SMALL', 'MEDIUM', 'LARGE', 'EXTRA_LARGE'], 'Size of the complete order').optional(),
  count: integer({ min: 1, max: 99 }, 'Number of bags or boxes').optional(),
  weightGrams: weightGrams.optional(),
  thermalBag: flag('Whether the courier needs a thermal bag').optional(),
});

const totals = z.object({
  subtotal: money('Sum of the items').optional(),
  tax: money('Tax').optional(),
  deliveryFee: money('Delivery fee for the customer').optional(),
  discount: money('Discount, as a positive amount').optional(),
  total: money('Total for the customer').optional(),
});

const payment = z.object({
  status: oneOf(['PAID', 'COLLECT_ON_DELIVERY'], 'Whether the courier collects money'),
  method: oneOf(['CASH', 'CARD', 'ONLINE', 'VOUCHER', 'OTHER'], 'How the customer pays').optional(),
  amountToCollect: money('Amount for the courier to collect; required with COLLECT_ON_DELIVERY').optional(),
  cashTendered: money('Amount the customer hands over in cash, so the courier can bring change').optional(),
});

const timing = z.object({
  asap: flag('Deliver as soon as possible').optional(),
  prepMinutes: integer({ min: 0, max: 1440 }, 'Preparation time of the kitchen in minutes').optional(),
  readyAt: instant('When the order is ready for pickup').optional(),
  dropoffWindow: z
    .object({ start: instant('Earliest time'), end: instant('Latest time; later than start') })
    .describe('When the customer expects the order')
    .optional(),
  maxDeliveryMinutes: integer({ min: 1, max: 1440 }, 'Maximum minutes from pickup to drop-off').optional(),
});

const requirements = z.object({
  vehicle: list(oneOf(VEHICLES, 'A vehicle'), 4, 'Vehicles that may carry the order; any if empty').optional(),
  handover: oneOf(['HAND_TO_CUSTOMER', 'MEET_OUTSIDE', 'LEAVE_AT_DOOR'], 'How to hand over the order').optional(),
  ifUndeliverable: oneOf(['RETURN', 'LEAVE_AT_DOOR', 'DISPOSE'], 'What to do if nobody accepts the order').optional(),
  proofOfDelivery: list(
    oneOf(['PHOTO', 'SIGNATURE', 'PIN_CODE'], 'A proof'),
    3,
    'Proof of delivery to collect',
  ).optional(),
  minAge: integer({ min: 1, max: 99 }, 'Minimum age to check at the door').optional(),
  canCombine: flag('Whether the order may share a trip with other orders').optional(),
});

const notes = z.object({
  kitchen: text(2000, 'For the kitchen').optional(),
  courier: text(2000, 'For the courier').optional(),
});

export const ITEMS_LIMIT = 200;

export const orderSchema = z.object({
  orderId: id(128, 'Your id for the order, unique within the restaurant; included in every webhook'),
  restaurantId: id(64, 'Your id for the restaurant that the credentials belong to'),
  displayId: text(64, 'Order id for people, as on the receipt and the bag').optional(),
  channel: text(64, 'Where the order was placed').optional(),
  placedAt: instant('When the customer placed the order').optional(),
  pickup: place('pickup').describe('Where to pick up the order; by default the restaurant').optional(),
  dropoff: place('drop-off').describe('Where to deliver the order').optional(),
  customer: customer.describe('The customer').optional(),
  items: list(itemSchema, ITEMS_LIMIT, 'The ordered items').optional(),
  package: parcel.describe('The package to carry').optional(),
  currency: currency.optional(),
  totals: totals.describe('Totals of the bill').optional(),
  tip: money('Tip for the courier').optional(),
  payment: payment.describe('How and when the order is paid').optional(),
  timing: timing.describe('Preparation and delivery times').optional(),
  requirements: requirements.describe('Requirements for the courier').optional(),
  notes: notes.describe('Notes for people').optional(),
  tags: list(text(64, 'A tag'), 50, 'Your tags for the order').optional(),
  metadata: pairs(50, 'Your own names and values; never shown to couriers').optional(),
  test: testScript.describe('Test environment only: how the robots handle this order').optional(),
});

/** An order as sent, including its unknown fields, which are untyped. */
export type OrderRequest = z.infer<typeof orderSchema>;
