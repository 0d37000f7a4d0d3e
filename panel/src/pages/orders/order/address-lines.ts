import type { OrderRequest } from '../../../../../src/contract/integrator/orders/schema.ts';

type Address = NonNullable<NonNullable<OrderRequest['dropoff']>['address']>;

/** The lines of an address, as on an envelope; uses the integrator's own formatting if there is one. */
export function formatAddress(address: Address | undefined): string[] {
  if (address === undefined) return [];
  const { building, floor, apartment, entrance, doorCode, landmark } = address;
  const street = address.formatted === undefined ? [address.line1, address.line2] : [address.formatted];
  const town = address.formatted === undefined ? [address.postalCode, address.city, address.district] : [];
  const inside = [building, entrance, floor, apartment, doorCode].filter(isGiven).join(' · ');
  return [...street, town.filter(isGiven).join(' '), inside, landmark].filter(isGiven);
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
