// The orders of the bench: about 1 KiB, as a restaurant's till would send them.
import type { JsonObject } from '../src/domain/canonical-json.ts';

/** As long as the ids that take its place, so that every body has the same length. */
export const ID_PLACE = 'bench-id-00000000-0000000000';

let lastOrder = 0;

/** Never the same twice, also not between processes. */
export function nextOrderId(): string {
  lastOrder += 1;
  return `bench-id-${String(process.pid).padStart(8, '0')}-${String(lastOrder).padStart(10, '0')}`;
}

export function orderContent(orderId: string, restaurantId: string): JsonObject {
  return {
    orderId,
    restaurantId,
    displayId: '#4217',
    channel: 'web',
    placedAt: '2026-03-01T12:00:00+03:00',
    dropoff: {
      name: 'Ayşe Yılmaz',
      phone: '+905321234567',
      instructions: 'Ring twice, the bell of the second door is broken',
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
  };
}
