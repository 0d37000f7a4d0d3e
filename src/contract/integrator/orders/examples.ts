// Examples of orders for the documentation. Tests run them through the real code, so every example is valid.
import type { OrderRequest } from './schema.ts';

export const SMALL_ORDER = { orderId: 'A-1001', restaurantId: 'kadikoy-1' } satisfies OrderRequest;

export const USUAL_ORDER = {
  orderId: 'A-1002',
  restaurantId: 'kadikoy-1',
  displayId: '#42',
  placedAt: '2026-03-01T12:00:00+03:00',
  dropoff: {
    name: 'Ayşe Yılmaz',
    phone: '+905321234567',
    instructions: 'Ring twice',
    address: { line1: 'Moda Caddesi 12', apartment: '7', city: 'İstanbul', postalCode: '34710', country: 'TR' },
    location: { latitude: 40.9828, longitude: 29.0262 },
  },
  customer: { name: 'Ayşe Yılmaz', phone: '+905321234567', locale: 'tr-TR' },
  items: [
    { name: 'Adana kebap', quantity: 2, unitPrice: 32000, notes: 'No onions' },
    { name: 'Ayran', quantity: 2, unitPrice: 4500, options: [{ name: 'Large', unitPrice: 1000 }] },
  ],
  currency: 'TRY',
  totals: { subtotal: 75000, deliveryFee: 4000, total: 79000 },
  payment: { status: 'COLLECT_ON_DELIVERY', method: 'CASH', amountToCollect: 79000, cashTendered: 100000 },
  timing: { asap: true, prepMinutes: 20 },
  requirements: { handover: 'HAND_TO_CUSTOMER' },
  metadata: { branch: 'Kadıköy', till: '3' },
} satisfies OrderRequest;

const FULL_ADDRESS = {
  line1: 'Moda Caddesi 12',
  line2: 'Behind the pharmacy',
  district: 'Moda',
  city: 'İstanbul',
  region: 'İstanbul',
  postalCode: '34710',
  country: 'TR',
  formatted: 'Moda Caddesi 12, 34710 İstanbul',
  building: 'B',
  floor: '2',
  apartment: '7',
  entrance: 'North',
  doorCode: '1234#',
  landmark: 'Opposite the tea garden',
};

/** Contains every field. */
export const FULL_ORDER = {
  ...USUAL_ORDER,
  orderId: 'A-1003',
  channel: 'web',
  pickup: {
    name: 'Kebapçı Kadıköy',
    phone: '+902161234567',
    instructions: 'Use the side door',
    address: FULL_ADDRESS,
    location: { latitude: 40.9901, longitude: 29.0291 },
  },
  dropoff: { ...USUAL_ORDER.dropoff, address: FULL_ADDRESS },
  customer: { ...USUAL_ORDER.customer, phoneAccessCode: '991', email: 'ayse@example.com' },
  items: [
    {
      name: 'Adana kebap',
      quantity: 2,
      id: 'sku-1',
      unitPrice: 32000,
      notes: 'No onions',
      options: [{ name: 'Extra bread', id: 'opt-1', quantity: 1, unitPrice: 0 }],
      tags: ['hot'],
      weightGrams: 450,
    },
  ],
  package: { size: 'MEDIUM', count: 1, weightGrams: 1400, thermalBag: true },
  totals: { subtotal: 64000, tax: 6400, deliveryFee: 4000, discount: 0, total: 74400 },
  tip: 2000,
  payment: { status: 'COLLECT_ON_DELIVERY', method: 'CASH', amountToCollect: 74400, cashTendered: 80000 },
  timing: {
    asap: false,
    prepMinutes: 20,
    readyAt: '2026-03-01T12:20:00+03:00',
    dropoffWindow: { start: '2026-03-01T12:40:00+03:00', end: '2026-03-01T13:00:00+03:00' },
    maxDeliveryMinutes: 30,
  },
  requirements: {
    vehicle: ['BICYCLE', 'MOTORCYCLE'],
    handover: 'HAND_TO_CUSTOMER',
    ifUndeliverable: 'RETURN',
    proofOfDelivery: ['PHOTO'],
    minAge: 18,
    canCombine: true,
  },
  notes: { kitchen: 'Allergic to nuts', courier: 'The dog is friendly' },
  tags: ['vip'],
} satisfies OrderRequest;

/** For the test environment: one courier declines, the next accepts, then the customer can't be reached. */
export const SCRIPTED_ORDER = {
  ...SMALL_ORDER,
  orderId: 'A-1004',
  test: {
    speed: 60,
    path: 'PLANNED',
    declines: 1,
    cancel: { reason: 'CUSTOMER_NOT_AVAILABLE', at: 'ON_DELIVERY' },
    webhook: { duplicate: true, delaySeconds: 10, outOfOrder: false },
  },
} satisfies OrderRequest;
