// An order as a restaurant's own system sends it, with enough data for every page to show something.

let last = 0;

/** Each order gets a new ID. */
export function sampleOrder(changes: object = {}): object {
  last += 1;
  return {
    orderId: `WEB-${Date.now()}-${last}`,
    channel: 'Website',
    currency: 'EUR',
    customer: { name: 'Elif Kaya', phone: '+905325550123' },
    pickup: { location: { latitude: 40.9876, longitude: 29.0301 } },
    dropoff: {
      instructions: 'Ring twice',
      address: { line1: 'Moda Caddesi 12', city: 'İstanbul', district: 'Kadıköy', postalCode: '34710' },
      location: { latitude: 40.9821, longitude: 29.0255 },
    },
    items: [
      { name: 'Tagliatelle al ragù', quantity: 2, unitPrice: 1850, notes: 'No onions' },
      { name: 'Tiramisù', quantity: 1, unitPrice: 790 },
    ],
    totals: { subtotal: 4490, deliveryFee: 390, total: 4880 },
    payment: { status: 'COLLECT_ON_DELIVERY', method: 'CASH', amountToCollect: 4880, cashTendered: 5000 },
    notes: { kitchen: 'Nut allergy' },
    ...changes,
  };
}
