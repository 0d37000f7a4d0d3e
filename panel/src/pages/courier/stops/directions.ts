// Links to the phone's navigation and dialer.
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';

type StopPlace = CourierStop['place'];
type Address = StopPlace['address'];

/** Android offers a choice of apps for geo: links, Apple devices open their maps, all others a web page. */
export function navigationLink(place: StopPlace, userAgent: string): string | undefined {
  const target = targetOf(place);
  if (target === undefined) return undefined;
  const query = encodeURIComponent(target);
  if (/android/i.test(userAgent)) return `geo:${place.location === undefined ? '0,0' : target}?q=${query}`;
  if (/iphone|ipad|macintosh/i.test(userAgent)) return `https://maps.apple.com/?daddr=${query}`;
  return `https://www.google.com/maps/dir/?api=1&destination=${query}`;
}

function targetOf({ location, address }: StopPlace): string | undefined {
  if (location !== undefined) return `${location.latitude},${location.longitude}`;
  const text = address?.formatted ?? [address?.line1, address?.city].filter((part) => part !== undefined).join(', ');
  return text === '' ? undefined : text;
}

/** The pause in the link makes the phone dial the access code after the call connects. */
export function phoneLink(phone: string | undefined, accessCode?: string): string | undefined {
  if (phone === undefined || phone === '') return undefined;
  const digits = phone.replaceAll(/[^\d+*#]/g, '');
  const code = accessCode?.replaceAll(/[^\d*#]/g, '') ?? '';
  return `tel:${digits}${code === '' ? '' : `,,${code}`}`;
}

/** Separates the street from the entry details. */
export function describeAddress(address: Address): { street: string[]; entry: Address } {
  if (address === undefined) return { street: [], entry: undefined };
  const { formatted, line1, line2, postalCode, city, district } = address;
  const town = [postalCode, city, district].filter(isGiven).join(' ');
  const street = formatted === undefined ? [line1, line2, town] : [formatted];
  return { street: street.filter(isGiven), entry: address };
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
